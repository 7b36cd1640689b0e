import type { z } from 'zod';

/** What a provider adds to the written form of a policy. Whatever else a policy says, it says in the same words for all providers. */
export interface ProviderSection {
  /** `spec.cluster.name`. */
  readonly clusterName: z.ZodType<string, string>;
  /** `spec.cluster.region`. */
  readonly region: z.ZodType<string, string>;
  /** Fields of `spec.cluster` besides `name` and `region`: what else the provider needs to find the cluster. Only its adapter reads them. */
  readonly cluster: Readonly<Record<string, z.ZodOptional<z.ZodType<string, string>>>>;
  /** A name of a pool: `spec.pool.name` and `spec.target.poolName`. */
  readonly poolName: (description: string) => z.ZodType<string, string>;
  /** Maximum length of such a name. */
  readonly maxPoolNameLength: number;
  /** Whether a pool can be replaced under its own name, `spec.target.poolName` being that of `spec.pool.name`. Absent: it can't. */
  readonly replacesInPlace?: boolean;
  /** Fields of `spec.target` besides `poolName`, `adopt` and `version`. Only the provider's adapter reads them. */
  readonly target: Readonly<Record<string, z.ZodOptional<z.ZodType<string, string>>>>;
  /** What distinguishes a new pool from the old one in its default name, when no Kubernetes version is set. Undefined when nothing does. */
  readonly nameSuffix: (target: Readonly<Record<string, string | undefined>>) => string | undefined;
}
