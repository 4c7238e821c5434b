/** The kinds of input that a source probably did not intend, although every single event is valid. */
export const WARNING_KINDS = [
  'superseded',
  'version-scale',
  'clock-and-sequence',
  'same-version',
  'no-snapshot',
  'future-time',
  'calendar-stays',
] as const;
export type WarningKind = (typeof WARNING_KINDS)[number];

export interface Warning {
  kind: WarningKind;
  /** The reason, as text for people. */
  detail: string;
}

/** What the operator can do about a kind of warning. */
export const ADVICE: Record<WarningKind, string> = {
  superseded: 'an earlier event of this input has a higher version, so the event changes nothing',
  'version-scale': 'two sources number their versions differently, so one of them never changes the listing',
  'clock-and-sequence': 'versions look like times and like counters, so later events may change nothing',
  'same-version': 'different events have the same version, so chance decides between their values',
  'no-snapshot': 'the input changes listings that it never describes as a whole',
  'future-time': 'the time of the event is later than now',
  'calendar-stays': 'the ad type changed, but the calendar of the earlier ad type stays',
};
