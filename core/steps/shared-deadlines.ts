import type { DeadlineSpec } from './step-spec.ts';

/** New nodes serve, from the moment their pool is asked for. */
export const nodesReady = {
  field: 'nodesReady',
  fallback: '20m',
  description: 'New nodes are Ready and registered.',
} as const satisfies DeadlineSpec;

/** Load balancers follow the label, whichever way it changes. */
export const registration = {
  field: 'deregistration',
  fallback: '2m',
  description: 'A node is deregistered after it was excluded: no target group sends to it.',
} as const satisfies DeadlineSpec;

/** Replacements of pods serve, whether the pods they replace have left or not. */
export const replacements = {
  field: 'replacements',
  fallback: '15m',
  description: 'Replacements are Ready and healthy in their load balancers.',
} as const satisfies DeadlineSpec;

/** Pods leave a node, or endpoints come back. */
export const eviction = {
  field: 'eviction',
  fallback: '15m',
  description: 'All pods of a node are gone.',
} as const satisfies DeadlineSpec;

/** An instance ends. */
export const termination = {
  field: 'termination',
  fallback: '15m',
  description: 'An instance has ended and its Node object is gone.',
} as const satisfies DeadlineSpec;
