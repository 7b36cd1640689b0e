/** The interface of the prober: its configuration and the JSON lines that it writes (lab/agents/cmd/prober). */

/** Kinds of traffic: new connections, clients that reuse theirs, slow requests, long responses. */
const STREAM_KINDS = ['connect', 'keepalive', 'long', 'stream'] as const;

/** One kind of traffic. */
type StreamKind = (typeof STREAM_KINDS)[number];

/** One stream of requests at a fixed rate; times are milliseconds. */
export interface StreamConfig {
  readonly name: string;
  readonly kind: StreamKind;
  /** Used in turn. A `keepalive` client keeps to one. */
  readonly urls: readonly string[];
  readonly ratePerSecond: number;
  /** Timeout for a connection, for the first byte (plus `sleepMs`) and between bytes, in time during which the prober runs; default 5,000. */
  readonly timeoutMs?: number;
  /** `long`: how long the server waits before it answers; default 3,000. */
  readonly sleepMs?: number;
  /** `stream`: how long the response continues; default 20,000. */
  readonly durationMs?: number;
  /** `keepalive`: number of clients; default 10. */
  readonly clients?: number;
  /** Used in turn; without any, the system chooses. */
  readonly sourceAddresses?: readonly string[];
}

/** What the prober reads. */
export interface ProberConfig {
  readonly streams: readonly StreamConfig[];
}

/** Totals of one stream since its start. Connect times are milliseconds. */
export interface StreamCounts {
  readonly kind: StreamKind;
  readonly sent: number;
  readonly ok: number;
  /** Failed before the first byte of the response. */
  readonly lost: number;
  /** Broken after the first byte of the response. */
  readonly cut: number;
  /** Connected, but after more than 0.9 s and a retransmitted SYN; also counted under its result. */
  readonly slow: number;
  /** Connected after more than 0.9 s without a retransmission, or while the prober did not run: the host was busy, not the network. */
  readonly starved: number;
  /** Sent again over a new connection because the server had closed the reused one. */
  readonly retried: number;
  /** Never sent: the prober did not run when they were due. */
  readonly skipped: number;
  /** Sent and without a result yet; in the summary they never got one. */
  readonly inFlight: number;
  readonly p50ConnectMs: number;
  readonly p99ConnectMs: number;
}

/** A tick (every 500 ms) or the summary (once, last). Times are milliseconds since the Unix epoch. */
export interface Report {
  readonly type: 'tick' | 'summary';
  readonly atMs: number;
  readonly startMs: number;
  readonly streams: Readonly<Record<string, StreamCounts>>;
  /** Responses by node: since the last tick, in the summary since the start. */
  readonly nodes: Readonly<Record<string, number>>;
  /** Responses by pod, likewise. */
  readonly pods: Readonly<Record<string, number>>;
  /** How far the latest request was behind schedule. */
  readonly lateMs: number;
  readonly incidentsLeftOff: number;
}

/** A request that was lost, cut or slow. Times are milliseconds since the Unix epoch. */
export interface Incident {
  readonly type: 'incident';
  readonly seq: number;
  readonly stream: string;
  readonly atMs: number;
  readonly endMs: number;
  readonly url: string;
  readonly result: 'ok' | 'lost' | 'cut';
  readonly slow: boolean;
  readonly error?: string;
  readonly pod?: string;
  readonly node?: string;
  /** The client's address and port, also of a connection that was tried and never established. */
  readonly local?: string;
  readonly connectMs: number;
  readonly totalMs: number;
  readonly retransmits: number;
  readonly reused: boolean;
  readonly retried: boolean;
}

/** Parses one line of the prober's output; throws when it is not one. */
export function parseLine(line: string): Report | Incident {
  const value = JSON.parse(line) as Report | Incident;
  switch (value.type) {
    case 'tick':
    case 'summary':
    case 'incident':
      return value;
    default:
      throw new Error(`not a line of the prober: ${line.slice(0, 200)}`);
  }
}
