import { joined, type Shown } from './answer-text.ts';
import type { Draft } from './token-budget.ts';

/** Adds notes about the arguments before the text of an answer and to its data. */
export function withNotes(draft: Draft, notes: readonly Shown[]): Draft {
  if (notes.length === 0) return draft;
  const noted =
    (render: Draft['render']): Draft['render'] =>
    (count) => {
      const { text, structured } = render(count);
      return { text: joined([...notes, text], '\n'), structured: { ...structured, notes } };
    };
  return { ...draft, render: noted(draft.render), ...(draft.brief && { brief: noted(draft.brief) }) };
}
