/** How to fix what was found. */
export interface Fix {
  /** What to do, in a sentence or two. */
  readonly text: string;
  /** Command lines that do it, one after the other. Absent when no command can be known. */
  readonly commands?: readonly string[];
  /** Part of a manifest that does it. Absent when a command does. */
  readonly yaml?: string;
}
