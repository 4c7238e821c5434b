import { say } from '../agents/answer-text.ts';
import type { Point } from '../request/sort-position.ts';
import { within } from '../search/order/feed-order.ts';
import { defined, type Filter } from './filter.ts';

const METERS_PER_KM = 1_000;

interface PlaceCriteria {
  /** The point by which the items are sorted, nearest first. */
  point?: Point;
  /** If present, the page contains only items near `point`. */
  localOnly?: true;
}

/** A point by which the items are sorted, and whether only items near the point match. */
export const place: Filter<PlaceCriteria, 'lat' | 'lng' | 'localOnly'> = {
  parameters: {
    lat: {
      feeds: {
        description: 'Latitude of a point, in degrees. Sorts the nearest items first. Requires `lng`.',
        example: -23.55,
      },
      tools: 'Latitude of a place: -27.59. Nearest listings come first. Needs lng. No default.',
    },
    lng: {
      feeds: {
        description: 'Longitude of a point, in degrees. Sorts the nearest items first. Requires `lat`.',
        example: -46.63,
      },
      tools: 'Longitude: -48.55. Needs lat. No default.',
    },
    localOnly: {
      feeds: {
        description:
          '`true`, `1` or `on` limits the feed to items near the point given by `lat` and `lng`, which are ' +
          'then required. `false`, `0` and `off` have no effect. Case-insensitive.',
        example: 'true',
      },
      tools: ({ localRadiusKm }) =>
        `true: only listings within ${localRadiusKm} km of lat and lng, which it needs.`,
    },
  },
  rule: '`lat` requires `lng`, and `lng` requires `lat`. `localOnly=true` requires both coordinates.',
  read({ values: { lat, lng, localOnly = false }, isGiven }) {
    if (isGiven('lat') !== isGiven('lng'))
      return {
        bad: [
          { parameter: 'lat', detail: 'must be given together with lng' },
          { parameter: 'lng', detail: 'must be given together with lat' },
        ],
      };
    if (localOnly && !isGiven('lat'))
      return { bad: [{ parameter: 'localOnly', detail: 'requires lat and lng' }] };
    if (lat === undefined || lng === undefined) return {};
    // Adding 0 converts -0 to 0, so that -0 and 0 are the same request.
    return { criteria: { point: { lat: lat + 0, lon: lng + 0 }, ...(localOnly && { localOnly }) } };
  },
  members: ['point', 'localOnly'],
  firstFingerprint: ({ point, localOnly }) => [point?.lat, point?.lon, localOnly],
  links: ({ point, localOnly }) => ({ lat: point?.lat, lng: point?.lon, localOnly: localOnly && 'true' }),
  clauses: ({ point, localOnly }, { localRadiusKm }) =>
    point && localOnly ? [within(localRadiusKm * METERS_PER_KM, point)] : [],
  passes: undefined,
  applied: ({ point, localOnly }) => ({
    ...(point && { lat: point.lat, lng: point.lon }),
    ...defined({ local_only: localOnly }),
  }),
  appliedText: ({ lat, lng, local_only }) =>
    lat === undefined || lng === undefined
      ? []
      : [say`${local_only ? 'only near' : 'nearest to'} ${lat}, ${lng}`],
  removals: { local_only: ['localOnly'] },
};
