import { InvalidArgumentError } from 'commander';

/** Parses a plain decimal integer of at least 1. @throws InvalidArgumentError */
export function positive(text: string): number {
  if (!/^\d{1,15}$/.test(text) || Number(text) < 1)
    throw new InvalidArgumentError('The value must be an integer of at least 1.');
  return Number(text);
}

/** Parses a port; 0 selects a free one. @throws InvalidArgumentError */
export function portNumber(text: string): number {
  const port = natural(text);
  if (port > 65_535) throw new InvalidArgumentError('The value must be a port number.');
  return port;
}

/** Parses a plain decimal integer of at least 0. @throws InvalidArgumentError */
export function natural(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('The value must be an integer of at least 0.');
  return Number(text);
}
