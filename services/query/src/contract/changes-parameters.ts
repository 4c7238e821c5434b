import { Type } from 'typebox';

export const MAX_CHANGES_LIMIT = 1_000;
export const DEFAULT_CHANGES_LIMIT = 500;

/** The query parameters of `/changes`. Rule: docs/reference/rules.md#changes. */
export const ChangesParameters = Type.Object({
  afterChangeNumber: Type.Integer({
    format: 'int64',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description:
      'The page contains the changes with higher change numbers. 0 reads from the beginning. A client that ' +
      'follows `next` never has to create this value.',
    examples: [0],
  }),
  limit: Type.Integer({
    format: 'int32',
    minimum: 1,
    maximum: MAX_CHANGES_LIMIT,
    default: DEFAULT_CHANGES_LIMIT,
    description:
      'Maximum number of changes on a page. A page contains fewer changes if their items together exceed 8 MiB.',
  }),
});

export const MAX_AFTER_CHARACTERS = 512;

/** The query parameter of `/export`. Rule: docs/reference/rules.md#export. */
export const ExportParameters = Type.Object({
  after: Type.Optional(
    Type.String({
      maxLength: MAX_AFTER_CHARACTERS,
      description: 'Continues an interrupted export after the item with this id.',
      examples: ['l-7'],
    }),
  ),
});
