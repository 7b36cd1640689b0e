import { untilTrustedMs } from '../guard/stability.ts';
import type { ClusterFacts } from '../model/serving.ts';
import type { WaitPolicy } from '../policy/policy.ts';
import { formatDuration } from '../text/format.ts';
import { endpointRemovalMs } from '../waits/formulas.ts';

/**
 * Why no pod may be told to stop yet, although it is out of its endpoints: an API server was unavailable, and some kube-proxies may not have
 * reconnected since. Each whose watch broke waits longer after every failure, up to 30 s and at random up to twice that (client-go
 * tools/cache/reflector.go), and until then sends to the endpoints that it knew. It may still fail where others succeed already, and what it reads
 * then must take effect like every change of endpoints. In the lab, 15 s without an API server made one send for 40 s more to pods that had left,
 * and on a busy computer another for 65 s after the API server served again. Undefined when all have had enough time, or when a policy switches
 * this wait off by a stabilizationAfterOutage of 0.
 */
export function explainUnpropagated(
  cluster: Pick<ClusterFacts, 'outageAt'>,
  waits: WaitPolicy,
  now: number,
): string | undefined {
  if (waits.stabilizationAfterOutageMs === 0) return undefined;
  const left = untilTrustedMs(cluster, waits, now - endpointRemovalMs(waits));
  if (left === 0) return undefined;
  return `the API server was unavailable, and kube-proxies may need another ${formatDuration(left)} to reconnect`;
}
