/** An amount in BRL with two decimals, half up (decisions §2). */
export const roundToCents = (amount: number): number => Math.floor(amount * 100 + 0.5) / 100;
