import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface OverlayProps {
  /** The id of the heading. */
  labelledBy: string;
  class?: string;
  /** A form stays open after a click outside it. */
  isForm?: boolean;
  onClose(): void;
  /** @param close closes the overlay, as Escape does */
  children(close: () => void): ComponentChildren;
}

/**
 * A modal dialog. The browser keeps the focus inside, closes the dialog with Escape, and then returns the
 * focus to the element that had it before (HTML, "The dialog element").
 */
export function Overlay({ labelledBy, class: name, isForm, onClose, children }: OverlayProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isLeaving = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      isLeaving.current = true;
      element?.close();
    };
  }, []);
  const close = () => dialog.current?.close();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same as a click outside the dialog
    <dialog
      ref={dialog}
      class={name}
      aria-labelledby={labelledBy}
      onClose={() => !isLeaving.current && onClose()}
      onClick={({ target }) => !isForm && target === dialog.current && close()}
    >
      {children(close)}
    </dialog>
  );
}
