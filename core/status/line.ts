/** How a text is meant; what that looks like is up to whoever prints it. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'dim' | 'strong';

/** One thing to tell of a run. */
export interface Line {
  readonly tone: Tone | undefined;
  readonly text: string;
}
