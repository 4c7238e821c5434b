import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** Additional classes for the button's style, such as `compact quiet`. */
  kind?: string;
};

/**
 * The text of a button. On a narrow page, an icon takes its place, and only screen readers receive the text.
 */
export const ButtonText = ({ text, icon }: { text: string; icon: ComponentChildren }) => (
  <>
    <span class="button-icon" aria-hidden="true">
      {icon}
    </span>
    <span class="button-text">{text}</span>
  </>
);

/** A button that submits nothing. */
export const Button = ({ kind = '', ...attributes }: ButtonProps) => (
  <button type="button" class={`button ${kind}`.trim()} {...attributes} />
);
