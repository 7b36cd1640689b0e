/** What really happened to the traffic: the prober's lines added up. Pure; times come from the lines. */
import type { Incident, Report, StreamCounts } from './prober.ts';

/** Totals of one stream or of all. */
type Counts = Omit<StreamCounts, 'kind' | 'p50ConnectMs' | 'p99ConnectMs'>;

/** The account of all traffic since the counts were last set to zero. Times are milliseconds since the Unix epoch. */
export interface TrafficTruth extends Counts {
  readonly perStream: Readonly<Record<string, StreamCounts>>;
  /** The first requests that were lost, cut or slow; at most `INCIDENTS_KEPT`. */
  readonly incidents: readonly Incident[];
  /** How many requests were lost, cut or slow. */
  readonly incidentCount: number;
  /** Of how many of them nobody has told when they were sent, because there were too many. */
  readonly incidentsLeftOff: number;
  /** When the first and the last such request was sent; absent while there is none. */
  readonly firstBadAt?: number;
  readonly lastBadAt?: number;
  /** When counting began and when the last line was written. */
  readonly sinceMs: number;
  readonly atMs: number;
  /** Responses by node and by pod in the last half second (in a final account: since the prober's start). */
  readonly nodes: Readonly<Record<string, number>>;
  readonly pods: Readonly<Record<string, number>>;
  /** The largest lag behind schedule: beyond some hundred ms the host was too busy for the rate. */
  readonly lateMs: number;
  /** Whether the prober has ended and these are its final counts. */
  readonly final: boolean;
}

/** How many incidents an account keeps in full. */
export const INCIDENTS_KEPT = 500;

const COUNTS = ['sent', 'ok', 'lost', 'cut', 'slow', 'starved', 'retried', 'skipped', 'inFlight'] as const;

/** Running account of one prober. */
export interface Account {
  add(line: Report | Incident): void;
  /** Counts from now on. What is in flight counts when it ends, unless all that is wrong with it is that it had been slow to connect before. */
  zero(): void;
  truth(): TrafficTruth;
  /**
   * Whether the last `seconds` passed without a lost, cut or slow request while the short requests were answered at the rate at which they were sent.
   */
  cleanFor(seconds: number): boolean;
}

/** Opens an empty account. */
export function openAccount(): Account {
  let base: Readonly<Record<string, StreamCounts>> = {};
  let history: Report[] = [];
  let incidents: Incident[] = [];
  let incidentCount = 0;
  let incidentsLeftOffBefore = 0;
  let firstBadAt = Number.POSITIVE_INFINITY;
  let lastBadAt = Number.NEGATIVE_INFINITY;
  let lateMs = 0;
  let sinceMs: number | undefined;
  /** Streams of requests that the next tick counts as slow, although they had connected before counting began. */
  let slowBefore: string[] = [];

  const last = () => history.at(-1);

  function addIncident(incident: Incident): void {
    if (wasSlowBefore(incident, sinceMs ?? 0)) {
      slowBefore.push(incident.stream);
      return;
    }
    incidentCount++;
    if (incidents.length < INCIDENTS_KEPT) incidents.push(incident);
    firstBadAt = Math.min(firstBadAt, incident.atMs);
    lastBadAt = Math.max(lastBadAt, incident.atMs);
  }

  return {
    add(line) {
      if (line.type === 'incident') {
        addIncident(line);
        return;
      }
      sinceMs ??= line.startMs;
      lateMs = Math.max(lateMs, line.lateMs);
      for (const stream of slowBefore) base = countSlow(base, stream);
      slowBefore = [];
      history.push(line);
      if (history.length > HISTORY_KEPT) history = history.slice(-HISTORY_KEPT);
    },
    zero() {
      base = last()?.streams ?? {};
      incidentsLeftOffBefore = last()?.incidentsLeftOff ?? 0;
      sinceMs = last()?.atMs;
      const since = sinceMs ?? 0;
      // The counts of a tick are older than the incidents that came after it.
      const later = incidents.filter((incident) => incident.endMs > since);
      incidents = [];
      incidentCount = 0;
      firstBadAt = Number.POSITIVE_INFINITY;
      lastBadAt = Number.NEGATIVE_INFINITY;
      lateMs = 0;
      for (const incident of later) addIncident(incident);
    },
    truth() {
      const report = last();
      const incidentsLeftOff = (report?.incidentsLeftOff ?? 0) - incidentsLeftOffBefore;
      const perStream = subtract(report?.streams ?? {}, base);
      return {
        ...total(Object.values(perStream)),
        perStream,
        incidents: [...incidents],
        incidentCount: incidentCount + incidentsLeftOff,
        incidentsLeftOff,
        ...(Number.isFinite(firstBadAt) ? { firstBadAt, lastBadAt } : {}),
        sinceMs: sinceMs ?? 0,
        atMs: report?.atMs ?? 0,
        nodes: report?.nodes ?? {},
        pods: report?.pods ?? {},
        lateMs,
        final: report?.type === 'summary',
      };
    },
    cleanFor: (seconds) => isClean(history, seconds),
  };
}

/**
 * Whether it connected slowly, and well in every other respect, before counting began. The prober says so when the request has ended, and a stream lasts
 * for seconds: it would be blamed on what happens then.
 */
function wasSlowBefore({ result, atMs, connectMs }: Incident, sinceMs: number): boolean {
  return result === 'ok' && atMs + connectMs <= sinceMs;
}

/** The counts with one more slow request of that stream. */
function countSlow(
  counts: Readonly<Record<string, StreamCounts>>,
  stream: string,
): Readonly<Record<string, StreamCounts>> {
  const own = counts[stream];
  return own === undefined ? counts : { ...counts, [stream]: { ...own, slow: own.slow + 1 } };
}

/** Two minutes of ticks: as far back as `cleanFor` can check. */
const HISTORY_KEPT = 240;

/** Short requests in flight at a tick, and the sampling of ticks, explain this much of a difference. */
const ANSWERED_SHARE = 0.9;

function isClean(history: readonly Report[], seconds: number): boolean {
  const end = history.at(-1);
  const start = history.findLast((report) => end !== undefined && end.atMs - report.atMs >= seconds * 1000);
  if (start === undefined || end === undefined) return false;
  return Object.values(subtract(end.streams, start.streams)).every((gained) => {
    if (gained.lost + gained.cut + gained.slow > 0) return false;
    const short = gained.kind === 'connect' || gained.kind === 'keepalive';
    return !short || (gained.sent > 0 && gained.ok >= gained.sent * ANSWERED_SHARE);
  });
}

function subtract(
  now: Readonly<Record<string, StreamCounts>>,
  base: Readonly<Record<string, StreamCounts>>,
): Readonly<Record<string, StreamCounts>> {
  return Object.fromEntries(
    Object.entries(now).map(([name, counts]) => {
      const before = base[name];
      const gained = before === undefined ? counts : minus(counts, before);
      return [name, { ...counts, ...gained, inFlight: counts.inFlight }];
    }),
  );
}

function minus(a: Counts, b: Counts): Counts {
  return mapCounts((key) => a[key] - b[key]);
}

function total(streams: readonly Counts[]): Counts {
  return mapCounts((key) => streams.reduce((sum, stream) => sum + stream[key], 0));
}

function mapCounts(value: (key: (typeof COUNTS)[number]) => number): Counts {
  return {
    sent: value('sent'),
    ok: value('ok'),
    lost: value('lost'),
    cut: value('cut'),
    slow: value('slow'),
    starved: value('starved'),
    retried: value('retried'),
    skipped: value('skipped'),
    inFlight: value('inFlight'),
  };
}
