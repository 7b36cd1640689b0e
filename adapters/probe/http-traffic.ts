import type { ProbePolicy } from '../../core/policy/policy.ts';
import type { ProbeCounts, Traffic, TrafficWatch } from '../../ports/traffic.ts';
import { type ProbeTarget, resolveTargets, type UnresolvedTarget } from './addresses.ts';
import { type ProbeOutcome, sendProbe } from './probe-request.ts';
import { startSchedule } from './schedule.ts';

/** How the probes are sent. */
interface HttpTrafficOptions {
  /** Time between two resolutions of the probes' host names, ms. Default 10,000. */
  readonly resolveEveryMs?: number;
  /** Maximum number of open requests of one probe; further ones count as lost. Default 1,000. */
  readonly maxInFlight?: number;
}

/**
 * Probes over HTTP: an open loop with a new connection for each request, spread evenly over the URLs and over all addresses that they resolve to.
 * Counts lost requests and slow connects; a request can be both.
 */
export function createHttpTraffic(options: HttpTrafficOptions = {}): Traffic {
  return {
    watch(probes) {
      const running = probes.map((probe) => startProbe(probe, options));
      const counts = () => total(running.map((probe) => probe.counts()));
      return {
        counts,
        async stop() {
          await Promise.all(running.map((probe) => probe.stop()));
          return counts();
        },
      };
    },
  };
}

function total(all: readonly ProbeCounts[]): ProbeCounts {
  return {
    sent: all.reduce((sum, { sent }) => sum + sent, 0),
    lost: all.reduce((sum, { lost }) => sum + lost, 0),
    slow: all.reduce((sum, { slow }) => sum + slow, 0),
    sentBy: sumByProbe(all.map(({ sentBy }) => sentBy)),
    lostBy: sumByProbe(all.map(({ lostBy }) => lostBy)),
    failureBy: Object.assign({}, ...all.map(({ failureBy }) => failureBy)),
  };
}

function sumByProbe(all: readonly ProbeCounts['lostBy'][]): ProbeCounts['lostBy'] {
  const sums: Record<string, number> = {};
  for (const one of all)
    for (const [probe, requests] of Object.entries(one)) sums[probe] = (sums[probe] ?? 0) + requests;
  return sums;
}

/** One probe. It starts to send as soon as its host names are resolved. */
function startProbe(probe: ProbePolicy, options: HttpTrafficOptions): TrafficWatch {
  const urls = probe.urls.map((url) => new URL(url));
  const maxInFlight = options.maxInFlight ?? 1_000;
  const counts = { sent: 0, lost: 0, slow: 0 };
  const inFlight = new Set<Promise<void>>();
  let targets: readonly (ProbeTarget | UnresolvedTarget)[] = [];
  let lastFailure: string | undefined;

  const count = ({ failure, slow }: ProbeOutcome) => {
    counts.sent += 1;
    if (failure !== undefined) counts.lost += 1;
    if (slow) counts.slow += 1;
    lastFailure = failure ?? lastFailure;
  };
  const told = (): ProbeCounts => ({
    ...counts,
    sentBy: { [probe.name]: counts.sent },
    lostBy: { [probe.name]: counts.lost },
    failureBy: lastFailure === undefined ? {} : { [probe.name]: lastFailure },
  });
  let turn = 0;
  const fire = () => {
    const target = targets[turn % targets.length];
    turn += 1;
    if (target === undefined) return;
    if (target.address === undefined) return count({ failure: `${target.url.hostname} has no address`, slow: false });
    if (inFlight.size >= maxInFlight)
      return count({ failure: `${target.address}: ${maxInFlight} requests wait for an answer`, slow: false });
    const sent = sendProbe(target, probe.timeoutMs, () => schedule.stalledMs()).then(count);
    inFlight.add(sent);
    void sent.finally(() => inFlight.delete(sent));
  };
  const resolve = async () => {
    targets = await resolveTargets(urls);
  };

  const schedule = startSchedule(probe.ratePerSecond, fire);
  const resolved = resolve();
  const resolver = setInterval(() => void resolve(), options.resolveEveryMs ?? 10_000);

  return {
    counts: told,
    async stop() {
      schedule.stop();
      clearInterval(resolver);
      await resolved;
      await Promise.all(inFlight);
      return told();
    },
  };
}
