import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Overlay } from '../components/Overlay.tsx';
import { shellWord } from '../components/shell-word.ts';
import { startJob } from './api.ts';
import { TextField } from './Fields.tsx';
import { Original } from './Original.tsx';
import type { ACTIONS } from './texts-actions.ts';
import { isBusy, useShown } from './use-console.ts';
import { type ReadError, readError } from './use-read.ts';
import { useWords } from './use-words.ts';

interface ActionProps {
  action: keyof typeof ACTIONS.en;
  /**
   * The button reads the arguments when the dialog opens, or when the person confirms a dialog with options.
   */
  args?: Record<string, unknown>;
  /** The same command for the command line. */
  command: string;
  /** Which generation or which records the action affects. */
  effect?: string;
  tone?: 'primary' | 'danger';
  disabled?: boolean;
  children?: ComponentChildren;
  /** The text that the person must type. */
  mustType?: { text: string; label: string };
  /** The label of the text that the action requires as its argument `reason`. */
  reasonLabel?: string;
}

type GenerationActionProps = Pick<ActionProps, 'action' | 'effect' | 'tone'> & { number: number };

/** The commands whose names differ from their actions. */
const COMMANDS: Partial<Record<ActionProps['action'], string>> = {
  resume: 'replay resume',
  cancel: 'replay cancel',
  'verify-self': 'verify --self',
};

/** An action on one generation. */
export function GenerationAction({ number, effect, ...more }: GenerationActionProps) {
  const { texts } = useWords();
  const command = `${COMMANDS[more.action] ?? more.action} ${number}`;
  const affected = effect ?? texts.onGeneration(number);
  return <ActionButton {...more} args={{ generation: number }} command={command} effect={affected} />;
}

/**
 * A button whose dialog names the effect of an action. The console runs the action only after a confirmation.
 * A console that only reads has no button. An open dialog keeps its effect, although the page receives a new
 * state every second.
 */
export function ActionButton(props: ActionProps) {
  const { state } = useShown();
  const { texts } = useWords();
  const [opened, setOpened] = useState<ActionProps>();
  const { action, tone = '', disabled, children } = props;
  if (!state.allowActions) return null;
  return (
    <>
      <button
        type="button"
        class={`button ${tone}`}
        disabled={disabled || isBusy(state)}
        data-action={action}
        onClick={() => setOpened(props)}
      >
        {texts.actions[action].button}
      </button>
      {opened && (
        <Overlay isForm labelledBy={`action-${action}`} onClose={() => setOpened(undefined)}>
          {(close) => <Confirmation {...(children ? props : opened)} close={close} />}
        </Overlay>
      )}
    </>
  );
}

function Confirmation({ close, ...props }: ActionProps & { close(): void }) {
  const { action, args = {}, command, effect, tone, children, mustType, reasonLabel } = props;
  const { texts } = useWords();
  const { refresh } = useShown();
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<ReadError>();
  const [isSending, setSending] = useState(false);
  const { button, title, effect: general } = texts.actions[action];
  const reason = typed.trim();
  const run = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    try {
      await startJob(action, reasonLabel === undefined ? args : { ...args, reason });
      close();
      refresh();
    } catch (failure) {
      setError(readError(failure));
      setSending(false);
    }
  };
  const field = { type: 'text', value: typed, onChange: setTyped } as const;
  return (
    <form class="stack" aria-busy={isSending} onSubmit={(event) => void run(event)}>
      <h2 id={`action-${action}`}>{title}</h2>
      <p>{general}</p>
      {effect && (
        <p>
          <strong>{effect}</strong>
        </p>
      )}
      {children}
      {mustType && <TextField {...field} id="action-typed" label={mustType.label} inputMode="numeric" />}
      {reasonLabel && (
        <TextField
          {...field}
          id="action-reason"
          label={reasonLabel}
          required
          pattern=".*\S.*"
          maxLength={500}
        />
      )}
      <p class="small soft">
        {texts.command}:{' '}
        <code>
          npm run cli -- {command}
          {reasonLabel && ` --reason ${shellWord(reason)}`}
        </code>
      </p>
      {error && (
        <div class="notice bad" role="alert">
          {texts.denied} <Original text={error.message} meaning={texts.errorKinds[error.kind ?? 'failed']} />
        </div>
      )}
      <div class="row end">
        <button type="button" class="button" onClick={close}>
          {texts.keep}
        </button>
        <button
          type="submit"
          class={`button ${tone === 'danger' ? 'danger' : 'primary'}`}
          disabled={isSending || (mustType !== undefined && reason !== mustType.text)}
        >
          {isSending ? texts.loading : button}
        </button>
      </div>
    </form>
  );
}
