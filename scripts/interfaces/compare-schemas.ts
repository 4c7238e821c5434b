import { isDeepStrictEqual } from 'node:util';
import { isNewCase, mergedRules, ruleFor } from './conditionals.ts';
import type { Finding } from './finding.ts';
import {
  acceptsType,
  alternatives,
  both,
  type FlatSchema,
  includes,
  type JsonObject,
  LOWER_BOUNDS,
  UPPER_BOUNDS,
} from './flat-schema.ts';

/**
 * The sender of the values. `input`: clients or producers send them, so the new schema must accept every value
 * that the old one accepts. `output`: the service sends them, so the old schema must accept every value that
 * the new one accepts.
 */
export type Direction = 'input' | 'output';

/** Two versions of a document, for the references in their schemas. */
export interface Versions {
  old: JsonObject;
  new: JsonObject;
}

/**
 * Compares two versions of a schema. It reports every change that could break a client or producer, even if
 * it cannot prove the break. An additional member of an object is no breaking change unless the old schema forbids it.
 * Pure.
 * @param at the place of the schema, for the findings
 * @throws if a reference leads nowhere
 */
export function compareSchemas(
  versions: Versions,
  oldSchema: unknown,
  newSchema: unknown,
  direction: Direction,
  at: string,
): Finding[] {
  return new SchemaComparison(versions, direction).compare(oldSchema, newSchema, at);
}

const show = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value));
const showAll = (values: unknown[] | undefined): string => values?.map(show).join(' and ') ?? 'none';
const member = (at: string, name: string): string => (at.endsWith(':') ? `${at} ${name}` : `${at}.${name}`);

class SchemaComparison {
  readonly #versions: Versions;
  readonly #input: boolean;
  /** The pairs of schemas that are being compared, because a schema can contain itself. */
  readonly #open: [unknown, unknown][] = [];

  constructor(versions: Versions, direction: Direction) {
    this.#versions = versions;
    this.#input = direction === 'input';
  }

  compare(oldSchema: unknown, newSchema: unknown, at: string): Finding[] {
    const pair: [unknown, unknown] = [oldSchema, newSchema];
    if (this.#open.some((one) => isDeepStrictEqual(one, pair))) return [];
    this.#open.push(pair);
    try {
      const before = alternatives(this.#versions.old, oldSchema);
      const after = alternatives(this.#versions.new, newSchema);
      return this.#input ? this.#fit(before, after, at) : this.#fit(after, before, at);
    } finally {
      this.#open.pop();
    }
  }

  /** Each alternative of the sent values must fit one alternative of the values that the receiver accepts. */
  #fit(sent: FlatSchema[], accepted: FlatSchema[], at: string): Finding[] {
    if (accepted.length === 0 && sent.length > 0) return [{ at, change: 'no value is valid any more' }];
    const single = accepted.length > 1 ? sent.flatMap(byType) : sent;
    return single.flatMap((one) => {
      const attempts = accepted.map((other) =>
        this.#input ? this.#flat(one, other, at) : this.#flat(other, one, at),
      );
      return attempts.reduce((best, attempt) => (attempt.length < best.length ? attempt : best));
    });
  }

  #flat(before: FlatSchema, after: FlatSchema, at: string): Finding[] {
    return [
      ...this.#types(before, after, at),
      ...this.#keywords(before, after, at),
      ...this.#rules(before, after, at),
      ...this.#members(before, after, at),
      ...this.#conditionals(before, after, at),
    ];
  }

  #types(before: FlatSchema, after: FlatSchema, at: string): Finding[] {
    const [sent, accepted] = this.#input ? [before, after] : [after, before];
    const findings: Finding[] = [];
    const types = sent.types ?? (sent.values && [...new Set(sent.values.map(typeOf))]);
    if (accepted.types && !types?.every((type) => acceptsType(accepted.types ?? [], type)))
      findings.push({ at, change: `the type ${show(before.types)} is now ${show(after.types)}` });
    if (accepted.values && !sent.values?.every((value) => includes(accepted.values, value)))
      findings.push({ at, change: `the values ${show(before.values)} are now ${show(after.values)}` });
    return findings;
  }

  #keywords({ keywords: before }: FlatSchema, { keywords: after }: FlatSchema, at: string): Finding[] {
    const [sent, accepted] = this.#input ? [before, after] : [after, before];
    const findings: Finding[] = [];
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (name === 'items')
        findings.push(...this.compare(before.items ?? true, after.items ?? true, `${at}[]`));
      else if (name === 'additionalProperties')
        findings.push(...this.compare(before[name] ?? true, after[name] ?? true, member(at, '*')));
      else if (!implies(name, sent[name], accepted[name]))
        findings.push({ at, change: `${name} ${show(before[name])} is now ${show(after[name])}` });
    }
    return findings;
  }

  #rules({ rules: before }: FlatSchema, { rules: after }: FlatSchema, at: string): Finding[] {
    const [sent, accepted] = this.#input ? [before, after] : [after, before];
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .filter((name) =>
        name === 'default'
          ? this.#input && before.default && !sameValues(before.default, after.default ?? [])
          : !contains(sent[name] ?? [], accepted[name] ?? []),
      )
      .map((name) => ({ at, change: `${name} ${showAll(before[name])} is now ${showAll(after[name])}` }));
  }

  #members(before: FlatSchema, after: FlatSchema, at: string): Finding[] {
    const findings = Object.entries(before.properties).flatMap(([name, schema]) =>
      name in after.properties
        ? this.compare(schema, after.properties[name], member(at, name))
        : [{ at: member(at, name), change: 'the member was removed' }],
    );
    for (const name of Object.keys(after.properties))
      if (!this.#input && !(name in before.properties) && before.keywords.additionalProperties === false)
        findings.push({
          at: member(at, name),
          change: 'the member is new, but the object allowed no other members',
        });
    const [sent, accepted] = this.#input ? [before, after] : [after, before];
    for (const name of accepted.required)
      if (!sent.required.includes(name) && (this.#input || name in after.properties))
        findings.push({
          at: member(at, name),
          change: `the member is ${this.#input ? 'now' : 'no longer'} required`,
        });
    return findings;
  }

  #conditionals(before: FlatSchema, after: FlatSchema, at: string): Finding[] {
    const [oldRules, newRules] = [mergedRules(before.conditionals), mergedRules(after.conditionals)];
    const place = (condition: unknown): string => `${at} (if ${show(condition)})`;
    const findings = oldRules.flatMap(({ condition, matching, others }): Finding[] => {
      const [where, same] = [place(condition), ruleFor(newRules, condition)];
      if (!same) return [{ at: where, change: 'the case was removed' }];
      return [
        ...this.#branch(before, after, matching, same.matching, where),
        ...this.#branch(before, after, others, same.others, where),
      ];
    });
    if (!this.#input) return findings;
    for (const { condition, matching, others } of newRules) {
      if (ruleFor(oldRules, condition)) continue;
      const where = place(condition);
      if (!isNewCase(condition, before)) findings.push(...this.#branch(before, after, true, matching, where));
      findings.push(...this.#branch(before, after, true, others, where));
    }
    return findings;
  }

  /**
   * Compares a branch of a rule together with the other keywords of its schema, because a rule may narrow a
   * member that the schema describes elsewhere. It leaves out what differs without the rule too.
   */
  #branch(before: FlatSchema, after: FlatSchema, oldPart: unknown, newPart: unknown, at: string): Finding[] {
    const oldBase = { ...before, conditionals: [] };
    const newBase = { ...after, conditionals: [] };
    const known = this.#flat(oldBase, newBase, at);
    const one = alternatives(this.#versions.old, oldPart).map((part) => both(oldBase, part));
    const other = alternatives(this.#versions.new, newPart).map((part) => both(newBase, part));
    const found = this.#input ? this.#fit(one, other, at) : this.#fit(other, one, at);
    return found.filter((finding) => !includes(known, finding));
  }
}

/** Whether each value that a keyword's value `sent` allows is also valid under `accepted`. */
function implies(keyword: string, sent: unknown, accepted: unknown): boolean {
  if (accepted === undefined) return true;
  if (LOWER_BOUNDS.has(keyword)) return sent !== undefined && Number(sent) >= Number(accepted);
  if (UPPER_BOUNDS.has(keyword)) return sent !== undefined && Number(sent) <= Number(accepted);
  return isDeepStrictEqual(sent, accepted);
}

/** Whether a list contains each of some values. */
const contains = (list: readonly unknown[], values: readonly unknown[]): boolean =>
  values.every((value) => includes(list, value));
const sameValues = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  contains(one, other) && contains(other, one);

const byType = (schema: FlatSchema): FlatSchema[] =>
  schema.types && schema.types.length > 1
    ? schema.types.map((type) => ({ ...schema, types: [type] }))
    : [schema];

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
