import type { Command } from 'commander';
import type { Action } from './command-action.ts';

export function readCommands(_action: Action): Command[] {
  return [];
}
