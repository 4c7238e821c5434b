import { shellWord } from '../../components/shell-word.ts';
import { ActionButton } from '../ActionButton.tsx';
import { useWords } from '../use-words.ts';

export type LetterFilters = Partial<Record<'reason' | 'key' | 'cause' | 'since' | 'until', string>>;

type Args = Record<string, string>;

interface LetterActionsProps {
  /** `partition:offset` of the only dead letter. */
  position?: string;
  filters?: LetterFilters;
  /** The number of dead letters, which the confirmation names. */
  total?: number;
  /** The time of the newest dead letter (ISO 8601). The action leaves out those that are written later. */
  newest?: string | undefined;
  canRetry?: boolean;
}

/** Retry and dismissal of one dead letter, or of those that filters select. */
export function LetterActions(props: LetterActionsProps) {
  const { position, filters = {}, total = 1, newest, canRetry = true } = props;
  const { texts } = useWords();
  const { reason, ...others } = filters;
  const until = [others.until, newest && momentAfter(newest)]
    .filter((time) => time !== undefined)
    .sort((a, b) => Date.parse(a) - Date.parse(b))[0];
  const propsOf = (command: string, nameOfReason: string) => {
    const args: Args =
      position === undefined
        ? { ...others, ...(until && { until }), ...(reason && { [nameOfReason]: reason }) }
        : { ref: position };
    const words = position === undefined ? optionsOf(args) : ` ${position}`;
    return {
      args,
      command: `dead-letters ${command}${words}`,
      effect: position === undefined ? texts.onDeadLetters(total) : `${texts.deadLetter} ${position}`,
    };
  };
  return (
    <span class="row end">
      {canRetry && <ActionButton {...propsOf('retry', 'reason')} action="retry" />}
      <ActionButton
        {...propsOf('dismiss', 'refusal')}
        action="dismiss"
        tone="danger"
        reasonLabel={texts.reasonOfDismissal}
      />
    </span>
  );
}

const momentAfter = (time: string): string => new Date(Date.parse(time) + 1).toISOString();

/** The options as a person would type them in a shell. */
const optionsOf = (filters: Args): string =>
  Object.entries(filters)
    .map(([name, value]) => ` --${name}=${/^[\w:.-]*$/.test(value) ? value : shellWord(value)}`)
    .join('');
