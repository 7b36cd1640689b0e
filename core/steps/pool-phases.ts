import { eviction, nodesReady, replacements, termination } from './shared-deadlines.ts';
import type { PhaseSpec } from './step-spec.ts';

/** Phases of a pool upgrade in order, then the endings. With new nodes in waves some of them come round again. */
const phases = [
  {
    id: 'preflight',
    label: 'preflight',
    does: 'finds the pool, its nodes and the Services whose load balancers send to them; audits; plans',
    waitsFor: 'the plan',
    activity: 'preflight',
    reversible: true,
  },
  {
    id: 'lock',
    label: 'lock',
    does: 'takes the Lease on the pool, suspends rebalancing',
    waitsFor: 'the Lease',
    activity: 'acquireLock',
    reversible: true,
  },
  {
    id: 'node-surge',
    label: 'node surge',
    does: 'creates the new pool, or adds nodes to it',
    waitsFor: 'the cloud to have created the pool',
    activity: 'createPool',
    deadlines: [
      nodesReady,
      {
        field: 'capacity',
        fallback: '5m',
        description:
          'New instances for which the cloud has no room: after this time a run whose new pool grows in waves (spec.nodeSurge) continues with those that are there.',
      },
    ],
    reversible: true,
  },
  {
    id: 'nodes-ready',
    label: 'nodes ready',
    does: '',
    waitsFor: 'every new node Ready and registered in every target group',
    activity: 'awaitNodesReady',
    deadlines: [nodesReady],
    reversible: true,
  },
  {
    id: 'cordon',
    label: 'cordon',
    does: 'cordons the old nodes',
    waitsFor: 'nothing',
    activity: 'cordonNodes',
    reversible: true,
  },
  {
    id: 'pod-surge',
    label: 'pod surge',
    does: 'has the replacements of pods start before those pods leave',
    waitsFor: 'as many ready endpoints as before, on nodes that the load balancer finds healthy',
    activity: 'surgePods',
    deadlines: [replacements],
    evidence: [{ kind: 'pods-surged', column: { title: 'PODS-SURGED', onlyWhenSeen: true } }],
    reversible: true,
  },
  {
    id: 'replace',
    label: 'replace',
    does: 'replaces the nodes, as many together as the guard allows',
    waitsFor: 'every node of the wave to be replaced',
    reversible: true,
  },
  {
    id: 'finalize',
    label: 'finalize',
    does: 'deletes the old pool, restores what was suspended, looks for leftovers',
    waitsFor: 'the old pool to be gone, for up to twice the deadline',
    activity: 'deletePool',
    deadlines: [termination],
    reversible: false,
  },
  {
    id: 'rolling-back',
    label: 'rolling back',
    does: 'restores nodes and pods, removes the new nodes, undoes every change, newest first',
    waitsFor: 'nothing of the run to be left',
    activity: 'cleanUp',
    deadlines: [eviction],
    reversible: false,
  },
  {
    id: 'completed',
    label: 'completed',
    does: '',
    waitsFor: 'nothing: the pool is replaced',
    reversible: false,
    isFinal: true,
  },
  {
    id: 'aborted',
    label: 'aborted',
    does: '',
    waitsFor: 'nothing: an operator wanted the run back',
    reversible: false,
    isFinal: true,
  },
  {
    id: 'failed',
    label: 'failed',
    does: '',
    waitsFor: 'nothing: the report says why',
    reversible: false,
    isFinal: true,
  },
] as const satisfies readonly PhaseSpec[];

/** An entry as it is written, for types that are derived from it. */
export type WrittenPhase = (typeof phases)[number];

/** One of the phases of a pool upgrade. */
export type PoolPhase = WrittenPhase['id'];

/** A phase in which a run has ended: its outcome. */
export type FinalPhase = Extract<WrittenPhase, { readonly isFinal: true }>['id'];

/** The phases of a pool upgrade. */
export const poolPhases: readonly (PhaseSpec & { readonly id: PoolPhase })[] = phases;
