import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { type RbacRule, type ResourceName, rbacRule, resources } from '../../../adapters/kubernetes/resources.ts';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly RbacRule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace: string }[];
}

const directory = new URL('../../../deploy/rbac/', import.meta.url);
const objects = readdirSync(directory).flatMap((file) =>
  parseAllDocuments(readFileSync(new URL(file, directory), 'utf8')).map((document) => document.toJS() as Role),
);

/** Permissions as `verb group/resource`, so that the way they are grouped into rules does not matter. */
function permissions(rules: readonly RbacRule[]): string[] {
  const each = rules.flatMap((rule) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) => rule.verbs.map((verb) => `${verb} ${group}/${resource}`)),
    ),
  );
  return each.toSorted();
}

function needed(where: string): string[] {
  const names = Object.keys(resources) as ResourceName[];
  return permissions(names.filter((name) => resources[name].where === where).map(rbacRule));
}

function granted(kind: string, namespace?: string): string[] {
  const roles = objects.filter((object) => object.kind === kind && object.metadata.namespace === namespace);
  return permissions(roles.flatMap(({ rules }) => rules ?? []));
}

describe('the deployed roles', () => {
  it('grant what the Kubernetes adapter asks for, and nothing more', () => {
    expect(granted('ClusterRole')).toEqual(needed('cluster'));
    expect(granted('Role', 'nodeferry')).toEqual(needed('lease-namespace'));
    expect(granted('Role', 'default')).toEqual(needed('default-namespace'));
  });

  it('are each bound to the worker and to nobody else', () => {
    const bindings = objects.filter(({ kind }) => kind.endsWith('RoleBinding'));
    const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
    const names = (list: readonly Role[]) => list.map(({ metadata }) => metadata.name).toSorted();
    expect(names(bindings)).toEqual(names(roles));
    for (const binding of bindings) {
      expect(binding.roleRef?.name).toBe(binding.metadata.name);
      expect(binding.subjects).toEqual([{ kind: 'ServiceAccount', name: 'nodeferry', namespace: 'nodeferry' }]);
    }
  });

  it('use no wildcard', () => {
    expect(JSON.stringify(objects)).not.toContain('*');
  });
});
