import type { ListingEvent } from '@vitrine/listing-events';
import { Counter, type Registry } from 'prom-client';

/**
 * The events in a topic can have any number of sources, and each one would need memory here and in
 * Prometheus.
 */
const MAX_SOURCES = 20;
const MAX_CHARACTERS = 60;
const OTHER = 'other';
/** A tombstone has no source, and Prometheus treats an empty label as an absent one. */
const NO_SOURCE = '';
const KINDS = [
  'snapshot',
  'changed',
  'availability_changed',
  'removed',
] as const satisfies ListingEvent['kind'][];

/**
 * Creates the counters of events by source. The first 20 sources that this process encounters get labels of
 * their own. All other sources share the label `other`.
 * @returns a function that counts the folded events of some listings, and the superseded ones among them
 */
export function sourceCounter(
  registry: Registry,
): (folded: Iterable<readonly ListingEvent[]>, superseded: readonly ListingEvent[]) => void {
  const registers = [registry];
  const folds = new Counter({
    name: 'projector_folds_total',
    help: 'Number of events folded into states, by source',
    labelNames: ['source'],
    registers,
  });
  const ignored = new Counter({
    name: 'projector_superseded_total',
    help: 'Number of events that changed nothing, because the listing has higher versions',
    labelNames: ['source', 'kind'],
    registers,
  });
  const known = new Set([OTHER, NO_SOURCE]);
  const labelOf = (source: string | undefined): string => {
    const label = source === undefined ? NO_SOURCE : cleaned(source);
    if (known.has(label)) return label;
    if (known.size === MAX_SOURCES + 2) return OTHER;
    known.add(label);
    return label;
  };
  return (folded, superseded) => {
    const counts = new Map<string | undefined, number>();
    for (const ofListing of folded)
      for (const { source } of ofListing) counts.set(source, (counts.get(source) ?? 0) + 1);
    for (const [source, count] of counts) {
      const label = labelOf(source);
      folds.inc({ source: label }, count);
      // increase() does not see a counter that first appears above 0.
      if (label !== NO_SOURCE) for (const kind of KINDS) ignored.inc({ source: label, kind }, 0);
    }
    for (const { source, kind } of superseded) ignored.inc({ source: labelOf(source), kind });
  };
}

/** Replaces control characters and runs of white space, and shortens the name to 60 characters. */
function cleaned(source: string): string {
  const characters = [
    ...source
      .toWellFormed()
      .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
      .trim(),
  ];
  const shown =
    characters.length > MAX_CHARACTERS ? [...characters.slice(0, MAX_CHARACTERS - 1), '…'] : characters;
  return shown.join('') || OTHER;
}
