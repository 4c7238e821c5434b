/** Number of sequence numbers per epoch. A change number is a JSON integer, which leaves 2^13 epochs. */
const SEQUENCES = 2 ** 40;

/** The highest epoch whose change numbers are all safe integers. */
export const MAX_EPOCH = Math.floor(Number.MAX_SAFE_INTEGER / SEQUENCES);

/** A position in the changes of one epoch. */
export interface ChangePosition {
  epoch: number;
  /** The sequence number of an entry. */
  sequence: number;
}

/** The change number of an entry. @param sequence from 0 */
export const changeNumber = (epoch: number, sequence: number): number => epoch * SEQUENCES + sequence;

/** Splits a change number from 0 to 2^53-1. */
export const splitChangeNumber = (number: number): ChangePosition => ({
  epoch: Math.floor(number / SEQUENCES),
  sequence: number % SEQUENCES,
});
