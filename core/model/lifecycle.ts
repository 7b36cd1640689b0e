/** How the containers of a pod that serve begin and end: those that declare ports, or all when none does. */
export interface LifecycleFacts {
  /** Their names. */
  readonly containers: readonly string[];
  /** Command of the preStop `exec` hook of one of them, joined by spaces. Absent when none has such a hook. */
  readonly preStopCommand?: string;
  /** Another of them does not have that command as its hook, and may end earlier. Absent when all have it, and when none has one. */
  readonly hooksDiffer?: true;
  /** The readiness probe that notices a failure first. Absent when no container has one: the pod is then ready as soon as it runs. */
  readonly readiness?: ReadinessFacts;
  /** Where the kubelet asks whether a container still works, if it asks by HTTP. Absent when no container has such a probe. */
  readonly liveness?: LivenessFacts;
  /** Conditions besides its containers that must be true before the pod is Ready. Absent when there are none. */
  readonly readinessGates?: readonly string[];
}

/** A readiness probe (Kubernetes API, Probe). */
interface ReadinessFacts {
  /** Name of its container. */
  readonly container: string;
  readonly periodSeconds: number;
  readonly failureThreshold: number;
  /** Seconds from the start of the container to the first probe. Absent means 0. */
  readonly initialDelaySeconds?: number;
}

/** A liveness probe by HTTP. */
interface LivenessFacts {
  /** Name of its container. */
  readonly container: string;
  readonly path: string;
}
