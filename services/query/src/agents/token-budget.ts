import { nextTurn } from '../search/work-turns.ts';
import { type Shown, say } from './answer-text.ts';

/** A text for people, and the same facts as data. Each is complete without the other. */
export interface Answer {
  text: Shown;
  structured: Record<string, unknown>;
}

/** The result of a tool. Only `fitted` turns it into an answer that may leave the service. */
export interface Draft {
  /** Maximum number of tokens. */
  budget: number;
  /** Maximum number of tokens if not even one element fits into `budget`. The answer then has at most one. */
  budgetOfOne?: number;
  /** Number of elements that can be left out, from the end. */
  elements: number;
  /** Makes the answer with the first `count` elements. */
  render(count: number): Answer;
  /** Makes a shorter answer, for the case in which not even one element would fit otherwise. */
  brief?: Draft['render'];
}

declare const fits: unique symbol;
export type FittedAnswer = Answer & { readonly [fits]: true };
/** The text of an error, which is within the budget. */
export type FittedError = string & { readonly [fits]: true };

/** The limit for every answer, in o200k tokens. */
export const MAX_TOKENS = 4_000;
/** The limit for a search with the default arguments. */
export const DEFAULT_SEARCH_TOKENS = 1_200;

/**
 * Counts the tokens of an answer. Some clients pay for the text and for the data, so both count.
 * The tokenizer takes 80 MB of memory and 0.3 s to load, so it loads with the first answer
 * (docs/decisions/0059-token-budget.md).
 */
export async function countTokens({
  text,
  structured,
}: Omit<Answer, 'text'> & { text: string }): Promise<number> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base');
  // A listing may contain the text of a special token, such as <|endoftext|>. Here it is ordinary text.
  const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  return count(inParts(text), asText) + count(inParts(JSON.stringify(structured)), asText);
}

const MAX_WORD = 100;
/** o200k never joins a letter with a punctuation mark, so all other words are short. */
const LONG_WORDS = new RegExp(`[\\p{L}\\p{M}]{${MAX_WORD}}|[^\\s\\p{L}\\p{N}]{${MAX_WORD}}`, 'gu');
/** Matches the beginning of every long word and many other strings, but in a tenth of the time. */
const POSSIBLY_LONG = new RegExp(
  `[A-Za-z\\u0080-\\uffff]{${MAX_WORD}}|[!-/:-@[-\`{-~\\u0080-\\uffff]{${MAX_WORD}}`,
);

/**
 * Divides long words. The time for one word grows with the square of its length, so a hostile word would stop
 * the process.
 */
const inParts = (text: string): string => (POSSIBLY_LONG.test(text) ? text.replace(LONG_WORDS, '$& ') : text);

/**
 * Longer answers are not counted, because they exceed every budget. Counting takes 7 ms for this many
 * characters.
 */
const MAX_COUNTED_CHARACTERS = 100_000;
/** Longer members are left out of an answer that fits in no other form. */
const MAX_ESSENTIAL_CHARACTERS = 200;

/**
 * Renders an answer with as many leading elements as fit into the budget. Every tool answer leaves the
 * service through this function. If no element fits, the function tries the brief form of the answer, and
 * then at most one element within `budgetOfOne`. If the answer does not fit even without elements, it has
 * only its short members.
 */
export async function fitted({ budget, budgetOfOne, elements, render, brief }: Draft): Promise<FittedAnswer> {
  for (let count = elements; ; ) {
    const answer = render(count);
    const json = JSON.stringify(answer.structured);
    // A token has at least one byte, so such a short answer needs no count.
    if (Buffer.byteLength(answer.text) + Buffer.byteLength(json) <= budget) return answer as FittedAnswer;
    const characters = answer.text.length + json.length;
    const tokens =
      characters > MAX_COUNTED_CHARACTERS ? characters / CHARACTERS_PER_TOKEN : await countTokens(answer);
    if (tokens <= budget) return answer as FittedAnswer;
    // Elements differ in size, so an average never proves that the first one does not fit.
    const fewer = count > 1 ? Math.max(Math.min(count - 1, Math.floor((count * budget) / tokens)), 1) : 0;
    await nextTurn();
    if (fewer === 0 && brief)
      return fitted({ budget, elements, render: brief, ...(budgetOfOne && { budgetOfOne }) });
    if (fewer === 0 && budgetOfOne)
      return fitted({ budget: budgetOfOne, elements: Math.min(elements, 1), render });
    if (count === 0) return essential(answer);
    count = fewer;
  }
}

/** An estimate for answers that are too long to count. */
const CHARACTERS_PER_TOKEN = 4;

function essential({ structured }: Answer): FittedAnswer {
  const isShort = ([name, value]: [string, unknown]) =>
    typeof value === 'string'
      ? value.length <= MAX_ESSENTIAL_CHARACTERS || name === 'next_cursor'
      : typeof value !== 'object';
  const answer: Answer = {
    text: say`This answer is too long. Ask for less, for example with fewer filters or dates.`,
    structured: { ...Object.fromEntries(Object.entries(structured).filter(isShort)), truncated: true },
  };
  return answer as FittedAnswer;
}

/**
 * Cuts the end off an error message that is longer than an answer may be. A token has at least one byte.
 */
export function fittedError(message: string): FittedError {
  if (Buffer.byteLength(message) <= MAX_TOKENS) return message as FittedError;
  const bytes = Buffer.from(message).subarray(0, MAX_TOKENS - ELLIPSIS.length);
  // A cut character at the end becomes a replacement character.
  return `${bytes.toString().replace(/\uFFFD+$/u, '')}${ELLIPSIS}` as FittedError;
}

const ELLIPSIS = '...';
