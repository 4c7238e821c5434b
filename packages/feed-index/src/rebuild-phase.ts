/**
 * The phases of a generation, and the phases that can follow each one. The registry refuses every other
 * change. docs/guide/rebuild.md shows these transitions as a diagram and lists the writers of each phase.
 *
 * - `creating`: the first generation of a deployment; its indices may not exist yet
 * - `folding`: the builder writes states from the topic
 * - `projecting`: the builder writes states and items from the topic in one pass
 * - `copying`: the builder writes states and items from another generation
 * - `deriving`: the builder derives items from the states, while the consumer group is stopped
 * - `following`: the consumer group catches up with the topic
 * - `ready`: every projector that runs the generation's versions writes to it
 * - `pruning`: a prune deletes the indices and the consumer group of the generation. A generation that has
 *   become live in the meantime returns to `ready`.
 */
export const TRANSITIONS = {
  creating: ['ready'],
  folding: ['deriving', 'pruning'],
  projecting: ['following', 'pruning'],
  copying: ['following', 'pruning'],
  deriving: ['following', 'pruning'],
  following: ['ready', 'pruning'],
  ready: ['pruning'],
  pruning: ['ready'],
} as const;

export type Phase = keyof typeof TRANSITIONS;

/**
 * The possible first phases of a rebuild. The phase depends on the source and, for the topic, on the number
 * of events per listing.
 */
export const FIRST_PHASES = ['folding', 'projecting', 'copying'] as const satisfies readonly Phase[];
