import type { DeadlineSpec } from './step-spec.ts';

/** Creating the new pool, and waiting for its nodes. */
export const nodesReady = {
  field: 'nodesReady',
  fallback: '20m',
  description: 'Until the new nodes are Ready and registered with their load balancers.',
} as const satisfies DeadlineSpec;

/** Replacements of pods serve, before or after the pods that they replace have left. */
export const replacements = {
  field: 'replacements',
  fallback: '15m',
  description: 'Until the replacements are Ready and healthy in their load balancers.',
} as const satisfies DeadlineSpec;

/** Pods leave a node, or their endpoints are restored. */
export const eviction = {
  field: 'eviction',
  fallback: '15m',
  description: 'Until all pods of a node are gone.',
} as const satisfies DeadlineSpec;

/** An instance terminates. */
export const termination = {
  field: 'termination',
  fallback: '15m',
  description: 'Until the instance has terminated and its node is deleted.',
} as const satisfies DeadlineSpec;
