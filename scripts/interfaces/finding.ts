/** A change that breaks clients or producers of the last release. */
export interface Finding {
  /** The changed part, for example `GET /public-feed, response 200: items[].price`. */
  at: string;
  /** The change, in words. */
  change: string;
}

/** The report's line of a finding. */
export const findingLine = ({ at, change }: Finding): string => `${at}: ${change}`;
