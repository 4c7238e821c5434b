import type { ButtonHTMLAttributes, ComponentChildren } from 'preact';

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** Further classes of the button's style, such as `compact quiet`. */
  kind?: string;
};

/** The text of a button. On a narrow page, only screen readers get it, and an icon takes its place. */
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
