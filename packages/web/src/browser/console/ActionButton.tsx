import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { startJob } from './api.ts';
import { TextField } from './Fields.tsx';
import { Original } from './Original.tsx';
import type { ACTIONS } from './texts-actions.ts';
import { isBusy, useShown } from './use-console.ts';
import { type ReadError, readError } from './use-read.ts';
import { useWords } from './use-words.ts';

type ActionName = keyof typeof ACTIONS.en;

interface ActionProps {
  action: ActionName;
  /** Read when the person confirms if the dialog has options, and else when the dialog opens. */
  args?: Record<string, unknown>;
  /** The same command of the command line. */
  command: string;
  /** Which generation or which records the action affects. */
  effect?: string;
  tone?: 'primary' | 'danger';
  disabled?: boolean;
  /** The options of the action. */
  children?: ComponentChildren;
  /** A text that the person must type. */
  mustType?: { text: string; label: string };
  /** The label of a text that the action requires as its argument `reason`. */
  reasonLabel?: string;
}

type GenerationActionProps = Pick<ActionProps, 'action' | 'effect' | 'tone'> & { number: number };

/** An action on one generation. */
export function GenerationAction({ action, number, effect, ...more }: GenerationActionProps) {
  const { texts } = useWords();
  return (
    <ActionButton
      {...more}
      action={action}
      args={{ generation: number }}
      command={`${action} ${number}`}
      effect={effect ?? texts.onGeneration(number)}
    />
  );
}

/**
 * A button whose dialog names the effect of an action. The console runs the action only after a confirmation, and
 * has no button if it only reads. An open dialog keeps its effect, although the page receives a new state every second.
 */
export function ActionButton(props: ActionProps) {
  const { action, tone, disabled, children } = props;
  const { state, refresh } = useShown();
  const [opened, setOpened] = useState(props);
  const { args = {}, command, effect, mustType, reasonLabel } = children ? props : opened;
  const { texts } = useWords();
  const { button, title, effect: general } = texts.actions[action];
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<ReadError>();
  const [isSending, setSending] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    setTyped('');
    setError(undefined);
    dialog.current?.showModal();
  }, [isOpen]);
  const run = async (event: Event) => {
    event.preventDefault();
    setSending(true);
    try {
      await startJob(action, reasonLabel === undefined ? args : { ...args, reason: typed.trim() });
      dialog.current?.close();
      refresh();
    } catch (failure) {
      setError(readError(failure));
    } finally {
      setSending(false);
    }
  };
  if (!state.allowActions) return null;
  const id = `action-${action}`;
  return (
    <>
      <button
        type="button"
        class={`button ${tone ?? ''}`}
        disabled={disabled || isBusy(state)}
        data-action={action}
        onClick={() => {
          setOpened(props);
          setOpen(true);
        }}
      >
        {button}
      </button>
      {isOpen && (
        <dialog ref={dialog} aria-labelledby={`${id}-title`} onClose={() => setOpen(false)}>
          <form class="stack" onSubmit={(event) => void run(event)}>
            <h2 id={`${id}-title`}>{title}</h2>
            <p>{general}</p>
            {effect && (
              <p>
                <strong>{effect}</strong>
              </p>
            )}
            {children}
            {mustType && (
              <TextField
                id={`${id}-typed`}
                label={mustType.label}
                type="text"
                inputMode="numeric"
                value={typed}
                onChange={setTyped}
              />
            )}
            {reasonLabel !== undefined && (
              <TextField
                id={`${id}-reason`}
                label={reasonLabel}
                type="text"
                required
                pattern=".*\S.*"
                maxLength={500}
                value={typed}
                onChange={setTyped}
              />
            )}
            <p class="small soft">
              {texts.command}:{' '}
              <code>
                npm run cli -- {command}
                {reasonLabel !== undefined && ` --reason ${JSON.stringify(typed.trim())}`}
              </code>
            </p>
            {error !== undefined && (
              <div class="notice bad" role="alert">
                {texts.denied}{' '}
                <Original text={error.message} meaning={texts.errorKinds[error.kind ?? 'failed']} />
              </div>
            )}
            <div class="row end">
              <button type="button" class="button" onClick={() => dialog.current?.close()}>
                {texts.keep}
              </button>
              <button
                type="submit"
                class={`button ${tone === 'danger' ? 'danger' : 'primary'}`}
                disabled={isSending || (mustType !== undefined && typed.trim() !== mustType.text)}
              >
                {texts.confirm}
              </button>
            </div>
          </form>
        </dialog>
      )}
    </>
  );
}
