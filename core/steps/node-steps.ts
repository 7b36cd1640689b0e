import { eviction, replacements, termination } from './shared-deadlines.ts';
import type { StepSpec } from './step-spec.ts';

/** Steps of a node's replacement in order: the state before it, its steps, its end, then restoring and stalled. */
const steps = [
  {
    id: 'pending',
    label: 'pending',
    state: 'pending',
    does: '',
    waitsFor: 'the wave of the node, and the nodes before it',
    reversible: true,
    recallable: true,
  },
  {
    id: 'replacing',
    label: 'replacing',
    state: 'in-progress',
    does: 'sets the label `node.kubernetes.io/exclude-from-external-load-balancers=true`',
    waitsFor: 'the guard to allow it',
    activity: 'excludeNext',
    deadlines: [
      { field: 'guard', fallback: '1h', description: 'Until the capacity guard allows the next node to be excluded.' },
    ],
    evidence: [
      { kind: 'registered', column: { title: 'REGISTERED' } },
      { kind: 'healthy', column: { title: 'HEALTHY' } },
      { kind: 'excluded', column: { title: 'EXCLUDED' } },
    ],
    event: 'Excluded',
    rule: { id: 'capacity-guard', without: 'too many nodes leave at the same time' },
    reversible: true,
  },
  {
    id: 'deregistering',
    label: 'deregistering',
    state: 'in-progress',
    does: '',
    waitsFor: 'every target group to show the node draining, unused or absent',
    activity: 'awaitDeregistered',
    summary: 'deregister',
    deadlines: [
      {
        field: 'deregistration',
        fallback: '2m',
        description: 'From the exclusion of a node until it is deregistered from its target groups.',
      },
    ],
    evidence: [{ kind: 'deregistered', column: { title: 'DEREGISTERED' } }],
    rule: { id: 'wait-for-deregistration', without: 'pods leave while the load balancer still sends to their node' },
    reversible: true,
    recallable: true,
  },
  {
    id: 'draining-connections',
    label: 'draining connections',
    state: 'in-progress',
    does: '',
    waitsFor:
      'the deregistration delay and the propagation time to pass, and the node to be gone from every target group',
    activity: 'awaitConnectionsDrained',
    summary: 'connections end',
    deadlines: [
      {
        field: 'connectionDrain',
        fallback: '20m',
        description: 'From the deregistration of a node until its connections have drained.',
      },
    ],
    evidence: [{ kind: 'connections-drained', column: { title: 'CONN-DRAINED' } }],
    rule: {
      id: 'wait-for-propagation',
      without: 'the last new connections after a deregistration reach a node without pods',
    },
    reversible: true,
    recallable: true,
  },
  {
    id: 'evicting',
    label: 'evicting pods',
    state: 'in-progress',
    does: 'removes each pod from its endpoints, and evicts it within its budgets once every kube-proxy has had time to follow',
    waitsFor: 'all movable pods to be gone, by UID, and their volumes to be detached',
    activity: 'evictPods',
    summary: 'pods leave',
    deadlines: [
      eviction,
      {
        field: 'jobCompletion',
        fallback: '1h',
        description: 'Until the pods that the run waits for have ended (spec.drain.jobs, spec.drain.doNotDisrupt).',
      },
    ],
    evidence: [{ kind: 'evicted', column: { title: 'EVICTED' } }],
    rule: {
      id: 'remove-endpoints-before-eviction',
      without: 'connections from other nodes and from pods are refused',
    },
    reversible: true,
  },
  {
    id: 'awaiting-replacements',
    label: 'awaiting replacements',
    state: 'in-progress',
    does: '',
    waitsFor: 'as many ready endpoints as before, on nodes that the load balancer finds healthy',
    activity: 'awaitReplacements',
    summary: 'replacements serve',
    deadlines: [replacements],
    evidence: [{ kind: 'replacements-serving', column: { title: 'REPLACED' } }],
    rule: {
      id: 'wait-for-replacements',
      without: 'capacity falls below the minimum serving while replacements still start',
    },
    reversible: true,
  },
  {
    id: 'removing-endpoints',
    label: 'removing endpoints',
    state: 'in-progress',
    does: 'taints the node, removes the remaining DaemonSet pods from their endpoints, then deletes them',
    waitsFor: 'no endpoint of any Service on the node',
    activity: 'removeEndpoints',
    summary: 'remove leftover endpoints',
    deadlines: [
      {
        field: 'endpointRemoval',
        fallback: '5m',
        description: 'Until the endpoints of DaemonSet pods on a node are removed.',
      },
    ],
    evidence: [{ kind: 'endpoints-removed', column: { title: 'ENDPOINTS' } }],
    rule: {
      id: 'remove-daemonset-endpoints',
      without: 'every node continues to send to an instance that is gone',
    },
    reversible: true,
  },
  {
    id: 'awaiting-forwarded-connections',
    label: 'awaiting forwarded connections',
    state: 'in-progress',
    does: '',
    waitsFor: 'the longest connection age to pass since the last new connection',
    activity: 'awaitForwardedConnections',
    summary: 'forwarded connections end',
    evidence: [{ kind: 'forwarded-ended', column: { title: 'FORWARDED', onlyWhenSeen: true } }],
    rule: {
      id: 'wait-for-forwarded-connections',
      without: 'keep-alive connections that the node forwards hang when the instance terminates',
    },
    reversible: true,
  },
  {
    id: 'terminating',
    label: 'terminating',
    state: 'in-progress',
    does: 'terminates exactly this instance, lowers the size of the group, deletes the Node object',
    waitsFor: 'the instance to have terminated, then its Node object to be gone',
    activity: 'terminateNode',
    summary: 'terminate',
    deadlines: [termination],
    evidence: [{ kind: 'terminated', column: { title: 'TERMINATED' } }, { kind: 'node-deleted' }],
    event: 'Terminating',
    reversible: false,
  },
  {
    id: 'replaced',
    label: 'replaced',
    state: 'replaced',
    does: '',
    waitsFor: 'nothing: the node is gone',
    reversible: false,
  },
  {
    id: 'confirming-empty',
    label: 'confirming that it is empty',
    state: 'in-progress',
    does: '',
    waitsFor:
      'an observation in which the node of a drain is deregistered, has no movable pod, and nothing on it serves',
    activity: 'confirmEmpty',
    summary: 'confirm that it is empty',
    evidence: [{ kind: 'drained', column: { title: 'DRAINED', onlyWhenSeen: true } }],
    event: 'Drained',
    reversible: true,
  },
  {
    id: 'drained',
    label: 'drained',
    state: 'replaced',
    does: '',
    waitsFor: 'nothing: the node of a drain is cordoned, excluded and empty',
    reversible: true,
  },
  {
    id: 'removed',
    label: 'removed',
    state: 'replaced',
    does: '',
    waitsFor: 'nothing: the node of a drain is gone',
    reversible: false,
  },
  {
    id: 'restoring',
    label: 'restoring',
    state: 'restoring',
    does: 'restores the endpoints of its pods, removes the taint and the label from the node',
    waitsFor: 'the node to be registered again in the target groups that it had left',
    activity: 'restoreNode',
    summary: 'restore',
    deadlines: [
      {
        field: 'registration',
        fallback: '2m',
        description: 'From the removal of the exclude label of a restored node until it is registered again.',
      },
    ],
    evidence: [{ kind: 'restored' }],
    event: 'Restored',
    reversible: false,
  },
  {
    id: 'restored',
    label: 'restored',
    state: 'restored',
    does: '',
    waitsFor: 'nothing: the node serves as before',
    reversible: false,
  },
  {
    id: 'skipped',
    label: 'skipped',
    state: 'skipped',
    does: '',
    waitsFor: 'nothing: an operator has the run not replace the node, which serves as before',
    reversible: false,
  },
  {
    id: 'stalled',
    label: 'stalled',
    state: 'stalled',
    does: '',
    waitsFor: 'an operator, who retries or skips the node, or resumes or aborts the run',
    reversible: true,
  },
] as const satisfies readonly StepSpec[];

/** An entry with its literal types, from which other types are derived. */
export type WrittenStep = (typeof steps)[number];

/** One of the steps of a node's replacement. */
export type NodeStep = WrittenStep['id'];

/** The steps of a node's replacement. */
export const nodeSteps: readonly (StepSpec & { readonly id: NodeStep })[] = steps;
