/** What a tool returns: a text for people, and the same facts as data. Each is complete without the other. */
export interface Answer {
  text: string;
  structured: Record<string, unknown>;
}

/** The limit of every answer, in tokens of o200k. */
export const MAX_TOKENS = 4_000;
/** The limit of a search with the default arguments. */
export const DEFAULT_SEARCH_TOKENS = 1_200;

/**
 * Counts the tokens of an answer. Some clients pay for the text and for the data, so both count.
 * The tokenizer takes 80 MB of memory and 0.3 s to load, so it loads with the first answer
 * (docs/decisions/0059-token-budget.md).
 */
export async function countTokens({ text, structured }: Answer): Promise<number> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base');
  // A listing may contain the text of a special token, such as <|endoftext|>. Here it is ordinary text.
  const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
  return count(inParts(text), asText) + count(inParts(JSON.stringify(structured)), asText);
}

const MAX_WORD = 100;
/** o200k never joins a letter with a punctuation mark, so all other words are short. */
const LONG_WORDS = new RegExp(`[\\p{L}\\p{M}]{${MAX_WORD}}|[^\\s\\p{L}\\p{N}]{${MAX_WORD}}`, 'gu');
/** The beginning of every long word, and of many other texts. This search takes a tenth of the time. */
const POSSIBLY_LONG = new RegExp(
  `[A-Za-z\\u0080-\\uffff]{${MAX_WORD}}|[!-/:-@[-\`{-~\\u0080-\\uffff]{${MAX_WORD}}`,
);

/**
 * Divides long words. The time for one word grows with the square of its length, so a hostile word would stop
 * the process.
 */
const inParts = (text: string): string => (POSSIBLY_LONG.test(text) ? text.replace(LONG_WORDS, '$& ') : text);

/**
 * Renders an answer with as many leading elements as fit into the budget.
 * @param render makes the answer with the first `count` elements
 * @returns the answer. It exceeds the budget only if it does so without any elements.
 */
export async function fitted(
  elements: number,
  budget: number,
  render: (count: number) => Answer,
): Promise<Answer> {
  for (let count = elements; ; ) {
    const answer = render(count);
    if (count === 0 || bytesOf(answer) <= budget) return answer;
    const tokens = await countTokens(answer);
    if (tokens <= budget) return answer;
    count = Math.min(count - 1, Math.floor((count * budget) / tokens));
  }
}

/** A token has at least one byte, so few bytes need no count. */
const bytesOf = ({ text, structured }: Answer): number =>
  Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(structured));
