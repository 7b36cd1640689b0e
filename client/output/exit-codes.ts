/** Exit codes of the CLI. The table in docs/cli.md says the same. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  stalled: 3,
  aborted: 4,
  lossy: 5,
  unmeasured: 6,
  lostByOthers: 7,
  forbidden: 77,
  usage: 64,
  unreachable: 69,
  timedOut: 124,
  detached: 130,
} as const;

/** One of the documented exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
