import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Counts the o200k tokens of texts that a model reads or writes. */
export const tokensOf = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + countTokens(text), 0);
