/** A change by somebody else to something that the run manages, and what became of it. */
export interface ExternalChange {
  /** Epoch ms at which it was observed. */
  readonly at: number;
  readonly what: string;
}
