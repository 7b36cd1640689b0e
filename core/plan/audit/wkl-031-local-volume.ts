import { localVolumesOf } from '../../eviction/local-volumes.ts';
import { isNodeBound } from '../../eviction/node-bound.ts';
import { listNames } from '../../text/format.ts';
import { groupByWorkload } from './per-workload.ts';
import { type ClusterRule, podsToMove } from './rule.ts';

/** WKL-031: pods whose volume is on an old node. They cannot start on another node, and the data is lost with the instance. */
export const wkl031LocalVolume: ClusterRule = (question) =>
  groupByWorkload('WKL-031', podsToMove(question), (pod) => {
    const { ownVolumeClaims = [] } = pod;
    const kept = {
      ...pod,
      volumeClaims: (pod.volumeClaims ?? []).filter((volumeClaim) => !ownVolumeClaims.includes(volumeClaim)),
    };
    const volumes = isNodeBound(pod) ? [] : localVolumesOf(kept, question.facts.cluster);
    if (volumes.length === 0) return undefined;
    return {
      severity: 'blocker',
      message: `volume ${listNames(volumes.map(({ volume }) => volume))} is on its node and goes with it: its replacement would wait for that node for ever`,
      hint: 'Have the application keep its data elsewhere too, cordon the node, and delete the PersistentVolumeClaim and the pod: they start again on a node that stays. Then plan again.',
    };
  });
