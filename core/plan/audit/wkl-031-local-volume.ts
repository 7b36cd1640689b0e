import { localVolumesOf } from '../../drain/local-volumes.ts';
import { staysWithNode } from '../../drain/stays-with-node.ts';
import { listNames } from '../../text/format.ts';
import { tellPerWorkload } from './per-workload.ts';
import { type AuditRule, podsToMove } from './rule.ts';

/** WKL-031: pods whose volume is on an old node. They can't start elsewhere, and what is on it goes with the machine. */
export const wkl031LocalVolume: AuditRule = (question) =>
  tellPerWorkload('WKL-031', podsToMove(question), (pod) => {
    const { ownClaims = [] } = pod;
    const kept = { ...pod, claims: (pod.claims ?? []).filter((claim) => !ownClaims.includes(claim)) };
    const volumes = staysWithNode(pod) ? [] : localVolumesOf(kept, question.facts.cluster);
    if (volumes.length === 0) return undefined;
    return {
      severity: 'blocker',
      message: `volume ${listNames(volumes.map(({ volume }) => volume))} is on its node and goes with it: its successor would wait for that node for good`,
      hint: 'Have the application keep its data elsewhere too, cordon the node, and delete claim and pod: they start anew on a node that stays. Then plan again.',
    };
  });
