/** Shows what is being done at this moment, in a few words, and the share of the whole (0 to 1) that is done, where known. */
export type Report = (detail: string, share?: number) => void;

/** What a tool's installation gets to work with. */
export interface InstallContext {
  readonly report: Report;
  /** Aborted when another tool has failed: give up early. */
  readonly signal: AbortSignal;
}

/** Names of the tools; `go` is never asked for by itself. */
const toolNames = ['temporal', 'packages', 'go', 'agents', 'kubernetes'] as const;

/** Name of a tool that the set-up can provide. */
export type ToolName = (typeof toolNames)[number];

/** Something that a part of the project needs on the machine, and how to get it. */
export interface Tool {
  readonly name: ToolName;
  /** What it is called in the progress display. */
  readonly label: string;
  /** Seconds that it takes on two cores with nothing cached. */
  readonly typicalSeconds: number;
  /** Tools that must be there before this one can be made. */
  readonly after: readonly ToolName[];
  /** Whether there is nothing to do. Quick: it is asked on every start. */
  readonly isReady: () => boolean;
  /** Makes it; rejects with a SetupError that says what to do. */
  readonly install: (context: InstallContext) => Promise<void>;
}
