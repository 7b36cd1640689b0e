/** A field in which two policies differ, and its values in words. A value is absent where the field is. */
export interface PolicyDifference {
  /** Path of the field after parsing, e.g. `guard.maxInFlight`. */
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

/** A difference of which either value may be undefined. */
export function differenceOf(field: string, from: string | undefined, to: string | undefined): PolicyDifference {
  return { field, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
