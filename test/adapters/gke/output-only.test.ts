/** What GKE alone writes is not sent when a pool is cloned: the protos of the installed client say of each field whether it does. */
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { cloneNodePool } from '../../../adapters/gke/clone.ts';

interface Type {
  readonly fields?: Readonly<Record<string, Field>>;
  readonly nested?: Readonly<Record<string, Type>>;
}
interface Field {
  readonly type: string;
  readonly rule?: string;
  readonly keyType?: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

const protos = createRequire(import.meta.url)('@google-cloud/container/build/protos/protos.json') as Type;
const api = ['google', 'container', 'v1'].reduce<Type>((type, name) => type.nested?.[name] ?? {}, protos);

/** A message type by its name, which may be one of a type around it. */
function typeOf(name: string, around: readonly Type[]): readonly Type[] | undefined {
  for (let depth = around.length; depth > 0; depth -= 1) {
    const scope = around.slice(0, depth);
    const found = name.split('.').reduce<Type | undefined>((type, part) => type?.nested?.[part], scope.at(-1));
    if (found?.fields !== undefined) return [...scope, found];
  }
  return undefined;
}

/** A message with something in each field; `told` gets the paths of those that GKE alone writes. */
function fill(path: string, around: readonly Type[], told: string[]): object {
  const fields = Object.entries(around.at(-1)?.fields ?? {});
  return Object.fromEntries(
    fields.map(([name, { type, rule, keyType, options }]) => {
      const at = path === '' ? name : `${path}.${name}`;
      if (JSON.stringify(options ?? {}).includes('OUTPUT_ONLY')) told.push(at);
      const inner = typeOf(type, around);
      const value = inner === undefined || keyType !== undefined ? { from: at } : fill(at, inner, told);
      return [name, rule === 'repeated' ? [value] : value];
    }),
  );
}

function valueAt(message: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const one = Array.isArray(value) ? value[0] : value;
    return typeof one === 'object' && one !== null ? (one as Record<string, unknown>)[name] : undefined;
  }, message);
}

test('no field that only GKE writes is sent', () => {
  const told: string[] = [];
  const source = fill('', typeOf('NodePool', [api]) ?? [], told);
  expect(told).toContain('networkConfig.networkTierConfig');
  const target = { poolName: 'web-new', version: '1.36', releaseVersion: undefined, launchTemplateVersion: undefined };
  const cloned = cloneNodePool({ ...source, name: 'web' }, { target, size: 1, run: 'run-1' });
  expect(told.filter((path) => valueAt(cloned, path) !== undefined)).toEqual([]);
});
