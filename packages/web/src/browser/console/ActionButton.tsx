import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useTexts } from '../components/preferences.ts';
import { startJob } from './api.ts';
import { Original } from './Original.tsx';
import { TEXTS } from './texts.ts';
import { type ReadError, readError } from './use-read.ts';

type ActionName = keyof typeof TEXTS.en.actions;

export interface ActionProps {
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
  onStarted(): void;
}

/**
 * A button whose dialog names the effect of an action. The console runs the action only after a confirmation. An
 * open dialog keeps its effect, although the page receives a new state every second.
 */
export function ActionButton(props: ActionProps) {
  const { action, tone, disabled, children, onStarted } = props;
  const [opened, setOpened] = useState(props);
  const { args = {}, command, effect, mustType, reasonLabel } = children ? props : opened;
  const texts = useTexts(TEXTS);
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
      onStarted();
    } catch (failure) {
      setError(readError(failure));
    } finally {
      setSending(false);
    }
  };
  const id = `action-${action}`;
  return (
    <>
      <button
        type="button"
        class={`button ${tone ?? ''}`}
        disabled={disabled}
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
              <div class="field">
                <label for={`${id}-typed`}>{mustType.label}</label>
                <input
                  id={`${id}-typed`}
                  type="text"
                  inputMode="numeric"
                  autocomplete="off"
                  value={typed}
                  onInput={({ currentTarget }) => setTyped(currentTarget.value)}
                />
              </div>
            )}
            {reasonLabel !== undefined && (
              <div class="field">
                <label for={`${id}-reason`}>{reasonLabel}</label>
                <input
                  id={`${id}-reason`}
                  type="text"
                  required
                  pattern=".*\S.*"
                  maxLength={500}
                  autocomplete="off"
                  value={typed}
                  onInput={({ currentTarget }) => setTyped(currentTarget.value)}
                />
              </div>
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
