import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const rooms = ['core', 'operations', 'activities', 'workflows'];

/** Words of clouds and of their managed Kubernetes. */
const vendors = /\b(?:eks|eksctl|aws|amazonaws|auto ?scaling|ec2|node ?groups?|launch ?templates?|fargate|gke|gcp)\b/i;

/** Names of the settings of load balancers, which differ from cloud to cloud. */
const settings =
  /\b(?:load_balancing|deregistration_delay|target_health_state|proxy_protocol_v2|stickiness)\.\w|connectionDraining\b|drainingTimeoutSec|service\.beta\.kubernetes\.io|cloud\.google\.com/;

/** A fact of the world and not of a provider: the address of a metadata service that no probe may reach. */
const facts = /fd00:ec2/g;

/** Where a rule of the audit was found out: it is shown, and cites the documents of a cloud as a comment may. */
const citations = /\bsource:\s*'[^']*'/g;

function wordsOf(text: string): readonly string[] {
  const code = text
    .replaceAll(/\/\*[^]*?\*\/|(?<![:'"`])\/\/.*$/gm, '')
    .replaceAll(citations, '')
    .replaceAll(facts, '');
  return code.split('\n').filter((line) => vendors.test(line) || settings.test(line));
}

test('what decides and what acts has no word of a cloud in its code', () => {
  const found = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) =>
        wordsOf(readFileSync(join(root, room, path), 'utf8')).map((line) => `${room}/${path}: ${line}`),
      ),
  );
  expect(found).toEqual([]);
});

test.each([
  "if (provider === 'eks') return;",
  "const label = 'eks.amazonaws.com/nodegroup';",
  "hint: 'Check Auto Scaling.'",
  "attributeFix(object, 'deregistration_delay.timeout_seconds=120')",
  "hint: 'Raise connectionDraining.'",
])('a word of a cloud is found in %s', (line) => {
  expect(wordsOf(line)).toEqual([line]);
});

test('the source of a rule may cite the documents of a cloud, and nothing beside it', () => {
  expect(wordsOf("source:\n  'Amazon EKS user guide',")).toEqual([]);
  expect(wordsOf("source: 'Kubernetes docs', fix: 'Ask EKS.'")).toEqual([", fix: 'Ask EKS.'"]);
});

test('comments may cite the documents of a cloud', () => {
  expect(wordsOf('/** EKS user guide,\n * "AWS Fargate". */\nconst a = 1; // EC2\n')).toEqual([]);
});
