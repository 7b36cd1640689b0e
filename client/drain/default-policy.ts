import { stringify } from 'yaml';
import { NodeferryError } from '../../core/model/problem.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { parsePolicy } from '../../policy-file/parse.ts';

/** Stands where the written form requires a value that a drain does not use, or that is not known. */
const placeholder = { name: 'drain', region: 'none-none-1', version: '1.1' } as const;

/** The cluster and the pool of a drain, as far as they are known. */
interface KnownPool {
  readonly name: string;
  readonly region?: string;
  readonly locator?: Readonly<Record<string, string>>;
  /** Name of the provider of the pool. Absent for nodes that belong to none. */
  readonly provider?: string;
}

/** The policy of a drain without a policy file: the defaults of an upgrade. `region` is empty when it is not known. */
export function defaultPolicy(known: KnownPool): Policy {
  const { name, region, version } = placeholder;
  const written = {
    apiVersion: 'nodeferry.dev/v1alpha1',
    kind: 'PoolUpgrade',
    metadata: { name },
    spec: { cluster: { name, region }, pool: { name }, target: { version } },
  };
  const parsed = parsePolicy(stringify(written), 'default policy');
  if (!parsed.ok) throw new NodeferryError({ code: 'Internal', message: 'the default policy of a drain is refused' });
  const { pool } = parsed.policy;
  return {
    ...parsed.policy,
    cluster: { ...known.locator, name: known.name, region: known.region ?? '' },
    pool: { ...pool, provider: known.provider ?? pool.provider },
  };
}
