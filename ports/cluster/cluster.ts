import type { Actions } from './actions.ts';
import type { Events } from './events.ts';
import type { Fencing } from './fencing.ts';
import type { Locks } from './locks.ts';
import type { ClusterObserver } from './observer.ts';

/** The Kubernetes cluster. What acts on it names the capabilities that it uses: an activity that only reads can't evict. */
export interface Cluster extends ClusterObserver, Actions, Fencing, Locks, Events {}
