/** How the containers of a pod that serve begin and end: those that declare ports, or all when none does. */
export interface LifecycleFacts {
  /** Their names. */
  readonly containers: readonly string[];
  /** The preStop hooks of all containers, also of those that do not serve, by their names. Absent when no container has one. */
  readonly preStops?: Readonly<Record<string, PreStopFacts>>;
  /** The readiness probe that notices a failure first. Absent when no container has one: the pod is then ready as soon as it runs. */
  readonly readiness?: ReadinessFacts;
  /** Where the kubelet asks whether a container still works, if it asks by HTTP. Absent when no container has such a probe. */
  readonly liveness?: LivenessFacts;
  /** Conditions besides its containers that must be true before the pod is Ready. Absent when there are none. */
  readonly readinessGates?: readonly string[];
}

/** A preStop hook, which has one handler (Kubernetes API, LifecycleHandler). */
export interface PreStopFacts {
  readonly handler: 'exec' | 'httpGet' | 'tcpSocket' | 'sleep';
  /** Of an `exec` hook: its command, joined by spaces. */
  readonly command?: string;
  /** Of a `sleep` hook. */
  readonly seconds?: number;
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
