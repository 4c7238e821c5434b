import type { GenerationRecord } from '@vitrine/feed-index';
import type { Build } from './build.ts';
import { copy, derive } from './state-phases.ts';
import { fold, follow, project } from './topic-phases.ts';

/**
 * Does this builder's part of a generation's phase, until the phase is over for all builders.
 * @returns whether the generation is ready
 */
export async function runPhase(build: Build, record: GenerationRecord): Promise<boolean> {
  switch (record.phase) {
    case 'folding':
      await fold(build, record);
      return false;
    case 'copying':
      await copy(build, record);
      return false;
    case 'deriving':
      await derive(build, record);
      return false;
    case 'projecting':
      await project(build, record);
      return true;
    case 'following':
      await follow(build, record);
      return true;
    case 'creating':
    case 'ready':
    case 'pruning':
      return true;
    default:
      return record.phase satisfies never;
  }
}
