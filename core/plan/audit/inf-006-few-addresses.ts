import { indexOf } from '../../model/cluster-index.ts';
import { isFinished, type PodFacts } from '../../model/pod.ts';
import { liveInstances, type SubnetFacts } from '../../model/pool.ts';
import { isInPlace } from '../../policy/members.ts';
import { neededSize, surgeAtOnce } from '../../surge/at-once.ts';
import { count } from '../../text/format.ts';
import type { AuditRule } from './rule.ts';

/**
 * INF-006: the subnets of the pool have fewer free addresses than the new nodes that start at once need, with the pods of as many old nodes. The old nodes
 * keep the addresses of their pods until their instances are terminated. It is the least that is needed: networks also reserve addresses for
 * pods to come, in blocks (amazon-vpc-cni-k8s, docs/eni-and-ip-target.md). A warning, because others use and free addresses meanwhile.
 */
export const inf006FewAddresses: AuditRule = ({ pool, newPool, nodes, policy, facts }) => {
  const subject = `pool ${pool.ref.name}`;
  const { subnets, subnetsUnread } = pool;
  if (policy.selection !== undefined || isInPlace(policy)) return [];
  if (subnetsUnread !== undefined) {
    return [
      {
        rule: 'INF-006',
        severity: 'info',
        subject,
        message: `how many addresses its subnets have free is not known: ${subnetsUnread}`,
        hint: 'Grant the permission that is named, or check by other means that there are enough.',
      },
    ];
  }
  const size = neededSize(nodes, pool);
  const there = newPool === undefined ? 0 : liveInstances(newPool).length;
  const starting = Math.max(0, Math.min(surgeAtOnce(policy, size) ?? size, size - there));
  if (subnets === undefined || subnets.length === 0 || starting === 0) return [];
  const index = indexOf(facts.cluster);
  const pods = nodes
    .map(({ name }) => index.podsOn(name).filter((pod) => takesAddress(pod, subnets)).length)
    .toSorted((a, b) => a - b)
    .slice(0, starting)
    .reduce((sum, own) => sum + own, 0);
  const free = subnets.reduce((sum, subnet) => sum + subnet.free, 0);
  if (free >= starting + pods) return [];
  const each = subnets.map((subnet) => `${subnet.name} in ${subnet.zone}: ${subnet.free}`).join(', ');
  return [
    {
      rule: 'INF-006',
      severity: 'warning',
      subject,
      message: `its subnets have ${free} addresses free (${each}), and ${count(starting, 'new node')} with the pods of the old ones need at least ${starting + pods}`,
      hint: 'Let the new pool grow in waves (spec.nodeSurge), free addresses, or let the run adopt a pool in other subnets (spec.target.adopt). Without an address no instance starts, and a pod stays in ContainerCreating.',
    },
  ];
};

function takesAddress(pod: PodFacts, subnets: readonly SubnetFacts[]): boolean {
  if (pod.hostNetwork || isFinished(pod)) return false;
  return (pod.ips ?? []).some((ip) => subnets.some(({ cidr }) => contains(cidr, ip)));
}

/** Whether a block of IPv4 addresses has this one. False for those of IPv6, of which there are always enough. */
function contains(cidr: string, ip: string): boolean {
  const [base = '', bits = ''] = cidr.split('/');
  const [from, address] = [toNumber(base), toNumber(ip)];
  if (from === undefined || address === undefined) return false;
  const size = 2 ** (32 - Number(bits));
  return Math.floor(from / size) === Math.floor(address / size);
}

function toNumber(ip: string): number | undefined {
  const parts = ip.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part))) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}
