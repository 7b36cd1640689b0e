import { eviction, registration, replacements, termination } from './shared-deadlines.ts';
import type { StepSpec } from './step-spec.ts';

/** Steps of a node's replacement in order: before it, its steps, its end, and the steps off that way. */
const steps = [
  {
    id: 'pending',
    label: 'pending',
    state: 'pending',
    does: '',
    waitsFor: 'the node’s turn',
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
      { field: 'guard', fallback: '1h', description: 'The capacity guard allows the next node to be excluded.' },
    ],
    evidence: [
      { kind: 'registered', column: { title: 'REGISTERED' } },
      { kind: 'healthy', column: { title: 'HEALTHY' } },
      { kind: 'excluded', column: { title: 'EXCLUDED' } },
    ],
    event: 'Excluded',
    rule: { id: 'capacity-guard', without: 'too many nodes leave together' },
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
    deadlines: [registration],
    evidence: [{ kind: 'deregistered', column: { title: 'DEREGISTERED' } }],
    rule: { id: 'wait-for-deregistration', without: 'pods leave while the load balancer still sends' },
    reversible: true,
    recallable: true,
  },
  {
    id: 'draining-connections',
    label: 'draining connections',
    state: 'in-progress',
    does: '',
    waitsFor: 'deregistration delay and propagation to be over, and the node to be gone from every target group',
    activity: 'awaitConnectionsDrained',
    summary: 'connections end',
    deadlines: [
      {
        field: 'connectionDrain',
        fallback: '20m',
        description: 'A node has left its target groups after it was deregistered.',
      },
    ],
    evidence: [{ kind: 'connections-drained', column: { title: 'CONN-DRAINED' } }],
    rule: {
      id: 'wait-for-propagation',
      without: 'the last new connections after a deregistration meet an empty node',
    },
    reversible: true,
    recallable: true,
  },
  {
    id: 'evicting',
    label: 'evicting pods',
    state: 'in-progress',
    does: 'removes each pod from its endpoints and evicts it within its budgets once every kube-proxy has heard',
    waitsFor: 'all movable pods to be gone, by UID, and their volumes to be detached',
    activity: 'evictPods',
    summary: 'pods leave',
    deadlines: [
      eviction,
      {
        field: 'jobCompletion',
        fallback: '1h',
        description: 'Pods that run to their end have ended (spec.drain.jobs, spec.drain.doNotDisrupt).',
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
      without: 'capacity falls below the minimum serving while pods still start',
    },
    reversible: true,
  },
  {
    id: 'removing-endpoints',
    label: 'removing endpoints',
    state: 'in-progress',
    does: 'taints the node, removes what DaemonSets left behind from its endpoints and deletes it',
    waitsFor: 'no endpoint of any Service on the node',
    activity: 'removeEndpoints',
    summary: 'remove leftover endpoints',
    deadlines: [
      { field: 'endpointRemoval', fallback: '5m', description: 'The endpoints of DaemonSets are gone from a node.' },
    ],
    evidence: [{ kind: 'endpoints-removed', column: { title: 'ENDPOINTS' } }],
    rule: {
      id: 'remove-daemonset-endpoints',
      without: 'every node goes on sending to an instance that is gone',
    },
    reversible: true,
  },
  {
    id: 'awaiting-forwarded-connections',
    label: 'awaiting forwarded connections',
    state: 'in-progress',
    does: '',
    waitsFor: 'the longest connection age since the last new connection to be over',
    activity: 'awaitForwardedConnections',
    summary: 'forwarded connections end',
    evidence: [{ kind: 'forwarded-ended' }],
    rule: {
      id: 'wait-for-forwarded-connections',
      without: 'keep-alive connections that pass through the node hang when the instance goes',
    },
    reversible: true,
  },
  {
    id: 'terminating',
    label: 'terminating',
    state: 'in-progress',
    does: 'terminates that very instance, lowers the size of the group, deletes the Node object',
    waitsFor: 'the instance to be terminated, then its Node object to be gone',
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
    id: 'restoring',
    label: 'restoring',
    state: 'restoring',
    does: 'restores the endpoints of its pods, takes taint and label off the node',
    waitsFor: 'the node to be registered again where it was',
    activity: 'restoreNode',
    summary: 'restore',
    deadlines: [registration],
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
    id: 'stalled',
    label: 'stalled',
    state: 'stalled',
    does: '',
    waitsFor: 'an operator, who resumes or aborts the run',
    reversible: true,
  },
] as const satisfies readonly StepSpec[];

/** An entry as it is written, for types that are derived from it. */
export type WrittenStep = (typeof steps)[number];

/** One of the steps of a node's replacement. */
export type NodeStep = WrittenStep['id'];

/** The steps of a node's replacement. */
export const nodeSteps: readonly (StepSpec & { readonly id: NodeStep })[] = steps;
