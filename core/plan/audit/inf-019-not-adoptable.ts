import type { PoolFacts } from '../../model/pool.ts';
import { newNodes } from '../../policy/members.ts';
import { neededSize } from '../../surge/at-once.ts';
import { count, listNames } from '../../text/format.ts';
import { findUnjoined } from '../../waits/unjoined.ts';
import type { AuditQuestion, AuditRule } from './rule.ts';

/** INF-019: the pool that the run is to adopt can't take the place of the old one. */
export const inf019NotAdoptable: AuditRule = (question) => {
  const { policy, newPool, pool } = question;
  if (policy.adoptTarget !== true) return [];
  const { poolName } = policy.target;
  const problems =
    newPool === undefined
      ? [
          {
            message: `there is no pool ${poolName} to adopt in ${pool.ref.cluster}`,
            hint: 'Correct spec.target.poolName, create the pool first, or remove spec.target.adopt: then the run creates it.',
          },
        ]
      : [
          ...isBusy(newPool),
          ...isOfRun(newPool),
          ...isForeign(newPool, question),
          ...isMarked(question),
          ...isTooSmall(newPool, question),
          ...lacksZones(newPool, question),
          ...isTaken(newPool, question),
        ];
  return problems.map((problem) => ({
    rule: 'INF-019',
    severity: 'blocker' as const,
    subject: `pool ${poolName}`,
    ...problem,
  }));
};

/** Why a pool can't be adopted, and what to do. */
type Problems = readonly { readonly message: string; readonly hint: string }[];

function isBusy({ status, problems }: PoolFacts): Problems {
  if (status === 'active') return [];
  const message = [`its status is ${status}`, ...problems].join(': ');
  return [{ message, hint: 'Wait until the cloud has finished, or repair the pool.' }];
}

/** Its nodes have the pods of those that they have replaced: they can't take the place of others, too. */
function isOfRun({ createdBy }: PoolFacts): Problems {
  if (createdBy === undefined) return [];
  return [
    {
      message: `run ${createdBy} created it, and its nodes stand in for those that this run has replaced`,
      hint: 'Set spec.target.poolName to another name, and remove spec.target.adopt.',
    },
  ];
}

/** A pool whose instances run and are no nodes here belongs to another cluster, or is broken. */
function isForeign(pool: PoolFacts, { policy, facts }: AuditQuestion): Problems {
  const unjoined = findUnjoined(pool, newNodes(facts.cluster, policy));
  if (unjoined.length === 0) return [];
  return [
    {
      message: `${listNames(unjoined)} of it ${unjoined.length === 1 ? 'is not a node' : 'are not nodes'} of the cluster`,
      hint: 'Wait until its instances have joined the cluster, or find out why they have not.',
    },
  ];
}

/** Somebody wants no pods, or no connections, on these nodes. */
function isMarked({ policy, facts }: AuditQuestion): Problems {
  const marked = newNodes(facts.cluster, policy).filter(({ cordoned, excluded }) => cordoned || excluded);
  if (marked.length === 0) return [];
  return [
    {
      message: `${listNames(marked.map(({ name }) => name))} of it ${marked.length === 1 ? 'is' : 'are'} cordoned or excluded from load balancers`,
      hint: 'Find out who has done that, and why. Undo it, then plan again.',
    },
  ];
}

/** One new node for each old one: whether fewer and larger ones would do, nobody can tell before their pods have moved. */
function isTooSmall({ maxSize, desiredSize }: PoolFacts, { nodes, pool }: AuditQuestion): Problems {
  const needed = neededSize(nodes, pool);
  if (Math.max(maxSize, desiredSize) >= needed) return [];
  return [
    {
      message: `it has ${count(desiredSize, 'instance')} and may have ${maxSize}, and ${pool.ref.name} has ${needed}`,
      hint: `Raise its maximum size to ${needed}; then plan again. The run requests the instances that are missing.`,
    },
  ];
}

/** Pods may be bound to a zone by their volumes, and a load balancer may need a target in each zone. */
function lacksZones({ zones }: PoolFacts, { nodes }: AuditQuestion): Problems {
  if (zones.length === 0) return [];
  const missing = [...new Set(nodes.map(({ zone }) => zone))].filter((zone) => !zones.includes(zone)).toSorted();
  if (missing.length === 0) return [];
  return [
    {
      message: `it has no nodes in ${listNames(missing)}, where nodes of the old pool are`,
      hint: 'Adopt a pool that covers the zones of the old one.',
    },
  ];
}

/** Two runs must not add nodes to one pool: each would remove those of the other when it is aborted. */
function isTaken({ ref }: PoolFacts, { facts }: AuditQuestion): Problems {
  if (facts.incomingPools?.includes(ref.name) !== true) return [];
  return [
    {
      message: 'another run moves nodes to it',
      hint: 'Let that run finish, or abort it. If it is gone, remove what it left: nodeferry cleanup CLUSTER/POOL --yes',
    },
  ];
}
