import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { neededPermissions } from '../../../adapters/gke/permissions.ts';

const root = new URL('../../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
const sources = ['adapters/gke/', 'adapters/gcp/', 'adapters/gcp/load-balancers/'].flatMap((folder) =>
  readdirSync(new URL(folder, root))
    .filter((file) => file.endsWith('.ts') && file !== 'permissions.ts')
    .map((file) => text(folder + file)),
);

test('the role in deploy/iam grants what a worker needs and nothing else', () => {
  const { includedPermissions } = parse(text('deploy/iam/gke-role.yaml')) as { includedPermissions: readonly string[] };
  expect(includedPermissions).toEqual(neededPermissions);
});

test('every permission that a call names in its errors is one of them, and each of them is named', () => {
  const named = sources.flatMap((source) => [...source.matchAll(/'((?:container|compute)\.\w+\.\w+)'/g)]);
  expect(new Set(named.map(([, name]) => name))).toEqual(new Set(neededPermissions));
});
