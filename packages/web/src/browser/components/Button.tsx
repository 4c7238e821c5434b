import type { ButtonHTMLAttributes } from 'preact';

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  /** Further classes of the button's style, such as `compact quiet`. */
  kind?: string;
};

/** A button that submits nothing. */
export const Button = ({ kind = '', ...attributes }: ButtonProps) => (
  <button type="button" class={`button ${kind}`.trim()} {...attributes} />
);
