/**
 * Counts the typing errors between two words: inserted, removed and replaced characters (Levenshtein
 * distance). It compares only positions that are at most `max` apart, so the work grows with the length of
 * one word, not with its square.
 * @returns the number of errors, or `max + 1` if there are more than `max`
 */
export function typingErrors(a: string, b: string, max: number): number {
  const tooMany = max + 1;
  if (Math.abs(a.length - b.length) > max) return tooMany;
  // above[j] is the number of errors between the first i - 1 characters of a and the first j of b.
  let above = Array.from({ length: b.length + 1 }, (_, j) => Math.min(j, tooMany));
  let row = above.map(() => tooMany);
  for (let i = 1; i <= a.length; i++) {
    const first = Math.max(1, i - max);
    let before = first === 1 ? Math.min(i, tooMany) : tooMany;
    row[first - 1] = before;
    let least = before;
    for (let j = first; j <= Math.min(b.length, i + max); j++) {
      const replaced = (above[j - 1] ?? tooMany) + Number(a[i - 1] !== b[j - 1]);
      before = Math.min(replaced, (above[j] ?? tooMany) + 1, before + 1, tooMany);
      row[j] = before;
      if (before < least) least = before;
    }
    if (least === tooMany) return tooMany;
    [above, row] = [row, above];
  }
  return above[b.length] ?? tooMany;
}
