/** The meaning of a text. Whoever prints it decides what that looks like. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'dim' | 'strong';

/** One statement about a run. */
export interface Line {
  readonly tone: Tone | undefined;
  readonly text: string;
}
