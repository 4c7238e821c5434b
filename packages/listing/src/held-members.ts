import {
  type CalendarDate,
  compareVersions,
  type FieldName,
  type ListingEvent,
  type Version,
} from '@vitrine/listing-events';
import type { ListingState, VersionedDate } from './listing-state.ts';

/** @param held the version in the state, which an event must exceed to set the member */
type HeldTest = (member: string, held: Version) => boolean;

/**
 * Returns whether the test accepts every member that the event names. A removal names the whole content, and
 * a replacement names the whole calendar. If a removal or a replacement in the state hides a member, the test
 * receives `removed` or `replaced` instead. The function stops at the first member that the test rejects. The
 * function allocates nothing, because the projector calls it for each event.
 */
export function everyHeldMember(state: ListingState, event: ListingEvent, test: HeldTest): boolean {
  switch (event.kind) {
    case 'snapshot':
      return (
        everyField(state, event.fields, test) &&
        (!event.dates || everyDateOfCalendar(state, event.version, event.dates, test))
      );
    case 'changed':
      return everyField(state, event.fields, test);
    case 'availability_changed':
      return event.mode === 'replace'
        ? everyDateOfCalendar(state, event.version, event.dates, test)
        : everyDate(state, event.dates, test);
    case 'removed':
      return everyContent(state, event.version, test);
    default:
      return event satisfies never;
  }
}

function everyField({ fields, removed }: ListingState, names: object, test: HeldTest): boolean {
  for (const name in names) {
    const own = fields[name as FieldName]?.[0];
    const accepted =
      own !== undefined && compareVersions(own, removed) > 0 ? test(name, own) : test('removed', removed);
    if (!accepted) return false;
  }
  return true;
}

function everyDate(state: ListingState, dates: readonly CalendarDate[], test: HeldTest): boolean {
  for (const { date } of dates) {
    const entry = state.dates[date];
    if (!(entry && isShown(state, entry) ? test(date, entry[0]) : testHiding(state, test))) return false;
  }
  return true;
}

function everyDateOfCalendar(
  state: ListingState,
  version: Version,
  dates: readonly CalendarDate[],
  test: HeldTest,
): boolean {
  const { removed, replaced } = state;
  // An event with the replacement's own version is a repetition, whatever its dates are.
  if (compareVersions(removed, version) >= 0 || compareVersions(replaced, version) >= 0)
    return testHiding(state, test);
  const shown = everyShownDate(state, test);
  return shown === undefined ? testHiding(state, test) : shown && everyDate(state, dates, test);
}

function everyContent(state: ListingState, version: Version, test: HeldTest): boolean {
  const { removed, fields } = state;
  if (compareVersions(removed, version) >= 0) return test('removed', removed);
  let isEmpty = true;
  for (const name in fields) {
    const own = fields[name as FieldName]?.[0];
    // Within a batch, the fold has not dropped the hidden fields yet.
    if (own === undefined || compareVersions(own, removed) <= 0) continue;
    if (!test(name, own)) return false;
    isEmpty = false;
  }
  const shown = everyShownDate(state, test);
  return shown ?? (!isEmpty || test('removed', removed));
}

const testHiding = ({ removed, replaced }: ListingState, test: HeldTest): boolean =>
  compareVersions(replaced, removed) > 0 ? test('replaced', replaced) : test('removed', removed);

/** Returns undefined if no date is visible. */
function everyShownDate(state: ListingState, test: HeldTest): boolean | undefined {
  let result: boolean | undefined;
  for (const date in state.dates) {
    const entry = state.dates[date];
    if (!entry || !isShown(state, entry)) continue;
    if (!test(date, entry[0])) return false;
    result = true;
  }
  return result;
}

/**
 * Whether neither the removal nor the replacement hides the date. A hidden date may still be in the state.
 */
const isShown = ({ removed, replaced }: ListingState, [version]: Exclude<VersionedDate, 0>): boolean =>
  compareVersions(version, removed) > 0 && compareVersions(version, replaced) >= 0;
