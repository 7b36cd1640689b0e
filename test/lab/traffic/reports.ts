import type { Report, StreamCounts } from '../../../lab/traffic/prober.ts';

const nothing: StreamCounts = {
  kind: 'connect',
  sent: 0,
  ok: 0,
  lost: 0,
  cut: 0,
  slow: 0,
  starved: 0,
  retried: 0,
  skipped: 0,
  inFlight: 0,
  p50ConnectMs: 0,
  p99ConnectMs: 0,
};

/** A line of the prober: what is not said of a stream is nothing. */
export function tick(
  atMs: number,
  streams: Readonly<Record<string, Partial<StreamCounts>>>,
  rest: Partial<Report> = {},
): Report {
  const filled = Object.entries(streams).map(([name, counts]) => [name, { ...nothing, ...counts }]);
  return {
    type: 'tick',
    atMs,
    startMs: 0,
    streams: Object.fromEntries(filled) as Record<string, StreamCounts>,
    nodes: {},
    pods: {},
    lateMs: 0,
    incidentsLeftOff: 0,
    ...rest,
  };
}
