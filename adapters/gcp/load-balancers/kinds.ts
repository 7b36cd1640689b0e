/** Kinds of the target groups whose members are nodes. */
export const targetPool = 'gce-target-pool';
export const backendService = 'gce-backend-service';

/** Kind of those whose members are pods: endpoints of type GCE_VM_IP_PORT. */
export const podEndpoints = 'gce-pod-endpoints';
