import {
  describeMismatch,
  type GenerationRecord,
  type Registry,
  type RulesVersion,
} from '@vitrine/feed-index';
import { isWritable, type Roles, versionsWith } from '@vitrine/projection/generations';

/** The live generation, if this code cannot write it because it was built with other versions. */
interface ForeignLiveGeneration {
  record: GenerationRecord;
  /** Whether a generation of this code's versions exists, in any phase of its rebuild. */
  hasOwn: boolean;
}

/** Finds the live generation, if it was built with versions other than this code's. Pure. */
export function foreignLiveGeneration(
  { generations }: Registry,
  { live }: Roles,
  rules: { version: RulesVersion },
): ForeignLiveGeneration | undefined {
  const record = generations.find(({ number }) => number === live);
  if (!record || isWritable(record.versions, rules)) return undefined;
  const hasOwn = generations.some(
    ({ phase, versions }) => phase !== 'creating' && phase !== 'pruning' && isWritable(versions, rules),
  );
  return { record, hasOwn };
}

/**
 * A projector's part in a rollout of new versions (docs/decisions/0076):
 * - `unwritten`: no projector writes the live generation, so the feed shows old data
 * - `awaits-replay`: another projector writes the live generation, and no generation has this code's versions
 * - `idle`: another projector writes the live generation, and a generation with this code's versions exists.
 *   It is under construction, or it is the target of a rollback.
 */
type RolloutState = 'unwritten' | 'awaits-replay' | 'idle';

export interface Rollout {
  state: RolloutState;
  text: string;
}

/** The state of a projector alongside a live generation with other versions. Pure. */
export function rolloutBeside(
  { record, hasOwn }: ForeignLiveGeneration,
  rules: { version: RulesVersion },
  isWritten: boolean,
): Rollout {
  const mismatch = (consequence: string) =>
    describeMismatch(record, versionsWith(rules), 'this projector', consequence);
  if (!isWritten)
    return {
      state: 'unwritten',
      text: mismatch(', and no other projector writes it. Start a projector of the other version'),
    };
  return hasOwn
    ? { state: 'idle', text: mismatch('. Another projector writes it') }
    : {
        state: 'awaits-replay',
        text: mismatch('. Keep the other projector running, and replay with this version'),
      };
}
