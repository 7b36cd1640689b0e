import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);
const text = (path: string) => readFileSync(new URL(path, root), 'utf8');
const sources = ['adapters/eks/', 'adapters/elb/'].flatMap((folder) =>
  readdirSync(new URL(folder, root)).map((file) => text(folder + file)),
);

/** IAM's name of each service by the SDK package that calls it. */
const prefixes: Readonly<Record<string, string>> = {
  'client-auto-scaling': 'autoscaling',
  'client-ec2': 'ec2',
  'client-eks': 'eks',
  'client-elastic-load-balancing-v2': 'elasticloadbalancing',
};

/** Actions of the commands that the adapters import. */
function usedActions(): Set<string> {
  const imports = sources.flatMap((source) => [...source.matchAll(/import \{([^}]+)\} from '@aws-sdk\/([\w-]+)'/g)]);
  return new Set(
    imports.flatMap(([, names = '', sdk = '']) =>
      [...names.matchAll(/(\w+)Command\b/g)].map(([, name = '']) => `${prefixes[sdk]}:${name}`),
    ),
  );
}

interface Statement {
  readonly Action: string | readonly string[];
}

function allowedActions(): Set<string> {
  const { Statement } = JSON.parse(text('deploy/iam/policy.json')) as { Statement: readonly Statement[] };
  return new Set(Statement.flatMap(({ Action }) => Action));
}

/** What creating a node group needs beyond the calls that we make: EKS reads and takes over the node role, and tags what it launches. */
const onBehalf = ['ec2:CreateTags', 'iam:GetRole', 'iam:PassRole'];

test('the IAM policy allows what the adapters call and nothing else', () => {
  const allowed = [...allowedActions()].filter((action) => !onBehalf.includes(action)).sort();

  expect(allowed).toEqual([...usedActions()].sort());
});

test('every call names its own IAM action in its errors', () => {
  const named = new Set(
    sources.flatMap((source) => [...source.matchAll(/'([a-z]\w+:[A-Z]\w+)'/g)].map(([, name = '']) => name)),
  );

  expect([...named].sort()).toEqual([...usedActions()].sort());
});
