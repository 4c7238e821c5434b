/** An amount in BRL with two decimals, rounded half up. */
export const money = (amount: number): number => Math.floor(amount * 100 + 0.5) / 100;
