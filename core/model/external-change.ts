/** What somebody else did to something that the run looks after, and what became of it. */
export interface ExternalChange {
  /** Epoch ms at which it was noticed. */
  readonly at: number;
  readonly what: string;
}
