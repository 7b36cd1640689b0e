/** Shows what is being done at this moment, in a few words, and the share that is done (0 to 1), when known. */
export type Report = (detail: string, share?: number) => void;

/** What a tool's installation is given to work with. */
export interface InstallContext {
  readonly report: Report;
  /** Aborted when another tool has failed: stop early. */
  readonly signal: AbortSignal;
}

/** Names of the tools; `go` is only requested by other tools, and `google-controllers` only by what runs on GKE's controllers. */
const toolNames = [
  'temporal',
  'packages',
  'go',
  'agents',
  'kubernetes',
  'krew',
  'oauth2-proxy',
  'google-controllers',
] as const;

/** Name of a tool that the setup can provide. */
export type ToolName = (typeof toolNames)[number];

/** Something that a part of the project needs on the machine, and how to install it. */
export interface Tool {
  readonly name: ToolName;
  /** Name in the progress display. */
  readonly label: string;
  /** Seconds that it takes on two cores with nothing cached. */
  readonly typicalSeconds: number;
  /** Tools that must be installed before this one. */
  readonly after: readonly ToolName[];
  /** Whether there is nothing to do. Must be quick, because every start calls it. */
  readonly isReady: () => boolean;
  /** Installs it; rejects with a SetupError that says what to do. */
  readonly install: (context: InstallContext) => Promise<void>;
}
