import { ActionButton } from '../ActionButton.tsx';
import { useWords } from '../use-words.ts';

export type LetterFilters = Partial<Record<'reason' | 'key' | 'cause' | 'since' | 'until', string>>;

type Args = Record<string, string>;

/** Retry and dismissal of one dead letter, or of those that filters select. */
export function LetterActions({
  position,
  filters = {},
  total = 1,
  newest,
  canRetry = true,
}: {
  /** `partition:offset` of the only dead letter. */
  position?: string;
  filters?: LetterFilters;
  /** Number of dead letters, which the confirmation names. */
  total?: number;
  /** Time of the newest one, ISO 8601. The action leaves out those that are written later. */
  newest?: string | undefined;
  canRetry?: boolean;
}) {
  const { texts } = useWords();
  const { reason, ...others } = filters;
  const rest: Args =
    newest === undefined || others.until ? others : { ...others, until: momentAfter(newest) };
  const argsOf = (name: string): Args =>
    position === undefined ? { ...rest, ...(reason !== undefined && { [name]: reason }) } : { ref: position };
  const wordsOf = (args: Args) => (position === undefined ? optionsOf(args) : ` ${position}`);
  const shared = {
    effect: position === undefined ? texts.onDeadLetters(total) : `${texts.deadLetter} ${position}`,
  };
  const [retry, dismiss] = [argsOf('reason'), argsOf('refusal')];
  return (
    <span class="row end">
      {canRetry && (
        <ActionButton
          {...shared}
          action="retry"
          args={retry}
          command={`dead-letters retry${wordsOf(retry)}`}
        />
      )}
      <ActionButton
        {...shared}
        action="dismiss"
        tone="danger"
        args={dismiss}
        command={`dead-letters dismiss${wordsOf(dismiss)}`}
        reasonLabel={texts.reasonOfDismissal}
      />
    </span>
  );
}

const momentAfter = (time: string): string => new Date(Date.parse(time) + 1).toISOString();

/** The options as a person would type them in a shell. */
const optionsOf = (filters: Args): string =>
  Object.entries(filters)
    .map(
      ([name, value]) =>
        ` --${name}=${/^[\w:.-]*$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`}`,
    )
    .join('');
