import { NodeferryError } from '../../core/model/problem.ts';
import type { Connection } from './connection.ts';
import type { OwnNamespace } from './own-namespace.ts';
import { type ResourceName, rbacName, resources, type Verb } from './resources.ts';

/** How many questions are asked at the same time. */
const atOnce = 10;

/** One verb on one resource, and the namespace in which it is needed; undefined for everywhere. */
interface Permission {
  readonly resource: ResourceName;
  readonly verb: Verb;
  readonly namespace: string | undefined;
}

/**
 * Asks the API server for every permission that this adapter needs, and returns those that our credentials lack: `patch nodes`, `create leases in
 * namespace nodeferry`. What an admission webhook would say is not known before.
 */
export async function findMissingPermissions(
  connection: Connection,
  ownNamespace: OwnNamespace,
): Promise<readonly string[]> {
  const needed = listPermissions(await nameNamespace(ownNamespace));
  const missing: string[] = [];
  for (let first = 0; first < needed.length; first += atOnce) {
    const some = needed.slice(first, first + atOnce);
    const allowed = await Promise.all(some.map(async (permission) => await isAllowed(connection, permission)));
    missing.push(...some.filter((_permission, index) => allowed[index] !== true).map(formatPermission));
  }
  return missing;
}

/** Who may not look it up is asked for the namespace that deploy/rbac creates. */
async function nameNamespace(ownNamespace: OwnNamespace): Promise<string> {
  try {
    return await ownNamespace();
  } catch (error) {
    if (error instanceof NodeferryError && error.problem.code === 'Forbidden') return 'nodeferry';
    throw error;
  }
}

function listPermissions(leaseNamespace: string): readonly Permission[] {
  const namespaces = { cluster: undefined, 'lease-namespace': leaseNamespace, 'default-namespace': 'default' } as const;
  return (Object.keys(resources) as ResourceName[]).flatMap((resource) => {
    const { where, verbs } = resources[resource];
    return where === 'nowhere' ? [] : verbs.map((verb) => ({ resource, verb, namespace: namespaces[where] }));
  });
}

async function isAllowed(connection: Connection, { resource, verb, namespace }: Permission): Promise<boolean> {
  const { group, plural, ...rest } = resources[resource];
  const { status } = await connection.fetch<{ readonly status?: { readonly allowed?: boolean } }>({
    resource: 'selfSubjectAccessReviews',
    verb: 'create',
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          group,
          resource: plural,
          verb,
          ...('subresource' in rest ? { subresource: rest.subresource } : {}),
          ...(namespace === undefined ? {} : { namespace }),
        },
      },
    },
  });
  return status?.allowed === true;
}

/** With its group where another one has a resource of the same name. */
function formatPermission({ resource, verb, namespace }: Permission): string {
  const name = rbacName(resource);
  const { group } = resources[resource];
  const others = (Object.keys(resources) as ResourceName[]).filter((other) => other !== resource);
  const named = others.some((other) => rbacName(other) === name) ? `${name}.${group}` : name;
  return `${verb} ${named}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}
