/** Rounds an amount in BRL to two decimals, half up (docs/reference/rules.md#money). */
export const roundToCents = (amount: number): number => Math.floor(amount * 100 + 0.5) / 100;
