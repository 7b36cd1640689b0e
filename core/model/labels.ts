/** Label of nodes that tells each from all others (kubernetes.io well-known labels). */
export const hostnameLabel = 'kubernetes.io/hostname';

/** Label of nodes with their availability zone (kubernetes.io well-known labels). */
export const zoneLabel = 'topology.kubernetes.io/zone';

/** Label of nodes that load balancers leave out (kubernetes.io well-known labels). */
export const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** Key of the taint (effect NoSchedule) that keeps DaemonSets from a node that is about to go. */
export const disruptedTaint = 'nodeferry.dev/disrupted';
