import { eviction, nodesReady, replacements, termination } from './shared-deadlines.ts';
import type { PhaseSpec } from './step-spec.ts';

/** Phases of a pool upgrade in order, then the outcomes. When new nodes come in waves, some phases repeat with each wave. */
const phases = [
  {
    id: 'preflight',
    label: 'preflight',
    does: 'finds the pool, its nodes and the Services whose load balancers send to them; audits them; makes the plan',
    waitsFor: 'the plan',
    activity: 'preflight',
    reversible: true,
  },
  {
    id: 'lock',
    label: 'lock',
    does: 'acquires the Lease on the pool',
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
          'Until the cloud has capacity for the new instances. After this time, a run whose new pool grows in waves (spec.nodeSurge) continues with the instances that it has.',
      },
    ],
    reversible: true,
  },
  {
    id: 'nodes-ready',
    label: 'nodes ready',
    does: 'suspends scaling of the old pool, unless that came before node surge',
    waitsFor: 'every new node Ready; with neither pod surge nor waves, also registered in every target group',
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
    does: 'starts replacements of pods before those pods leave',
    waitsFor:
      'as many ready endpoints as before, on nodes that the load balancer finds healthy; then every new node registered',
    activity: 'surgePods',
    deadlines: [replacements],
    evidence: [{ kind: 'pods-surged', column: { title: 'PODS-SURGED', onlyWhenSeen: true } }],
    reversible: true,
  },
  {
    id: 'replace',
    label: 'replace',
    does: 'replaces the nodes, as many together as the guard allows',
    waitsFor: 'every node to be replaced',
    reversible: true,
  },
  {
    id: 'drain',
    label: 'drain',
    does: 'drains the selected nodes, as many together as the guard allows',
    waitsFor: 'every selected node to be drained',
    reversible: true,
  },
  {
    id: 'finalize',
    label: 'finalize',
    does: 'deletes the old pool, restores scaling, checks for leftovers; when nodes were skipped, keeps the old pool with them and removes the new nodes that are too many; leaves drained nodes to the operator',
    waitsFor: 'the old pool to be gone, for up to twice the deadline',
    activity: 'deletePool',
    deadlines: [termination],
    reversible: false,
  },
  {
    id: 'rolling-back',
    label: 'rolling back',
    does: 'restores nodes and pods; in a rollback, gives the old pool its size again; removes the new nodes, undoes every change, newest first',
    waitsFor: 'every change of the run to be undone',
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
    waitsFor: 'nothing: an operator aborted the run',
    reversible: false,
    isFinal: true,
  },
  {
    id: 'rolled-back',
    label: 'rolled back',
    does: '',
    waitsFor: 'nothing: an operator rolled the run back, and the old pool serves at its size',
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

/** An entry with its literal types, from which other types are derived. */
export type WrittenPhase = (typeof phases)[number];

/** One of the phases of a pool upgrade. */
export type PoolPhase = WrittenPhase['id'];

/** A phase in which a run has ended: its outcome. */
export type FinalPhase = Extract<WrittenPhase, { readonly isFinal: true }>['id'];

/** The phases of a pool upgrade. */
export const poolPhases: readonly (PhaseSpec & { readonly id: PoolPhase })[] = phases;
