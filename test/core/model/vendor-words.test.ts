import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const rooms = ['core', 'operations', 'activities', 'workflows'];

/** Words of clouds and of their managed Kubernetes. */
const vendors =
  /\b(?:eks|eksctl|aws|amazonaws|auto ?scaling|ec2|node ?groups?|launch ?templates?|fargate|gke|gcp|google)\b/i;

/** Names of the settings of load balancers, which differ from cloud to cloud. */
const settings =
  /\b(?:load_balancing|deregistration_delay|target_health_state|proxy_protocol_v2|stickiness)\.\w|connectionDraining\b|drainingTimeoutSec|service\.beta\.kubernetes\.io|cloud\.google\.com/;

/** Facts of the world and not of a provider: addresses of metadata services that no probe may reach. */
const facts = /fd00:ec2|metadata\\\.google\\\.internal/g;

/**
 * Karpenter is no cloud but a project of Kubernetes SIG Autoscaling, like the cluster autoscaler (kubernetes/community, sig-autoscaling). It runs in clusters
 * of several clouds, and its taints and annotations are part of what a cluster says, whoever its provider is. Each place has a reason.
 */
const karpenter = {
  'core/model/taken-away.ts': 'taints of a node that it is about to delete',
  'core/guard/block.ts': 'a node that asks it, and all others, not to be disrupted',
  'core/eviction/filters/do-not-disrupt-pod.ts': 'a pod that asks the same',
  'core/plan/audit/inf-013-protected-node.ts': 'what such a node is told of',
  'core/plan/audit/inf-015-unread.ts': 'its NodePools, which may not be read',
  'core/audit/rules/inf-001-unpinned-nodes.ts': 'nodes that it may remove',
} as const;

/** Where a rule of the audit was found out: it is shown, and cites the documents of a cloud as a comment may. */
const citations = /\bsource:\s*'[^']*'/g;

function codeOf(text: string): string {
  return text
    .replaceAll(/\/\*[^]*?\*\/|(?<![:'"`])\/\/.*$/gm, '')
    .replaceAll(citations, '')
    .replaceAll(facts, '');
}

function wordsOf(text: string): readonly string[] {
  return codeOf(text)
    .split('\n')
    .filter((line) => vendors.test(line) || settings.test(line));
}

function filesOf(room: string): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: `${room}/${path}`, text: readFileSync(join(root, room, path), 'utf8') }));
}

test('what decides and what acts has no word of a cloud in its code', () => {
  const found = rooms.flatMap(filesOf).flatMap(({ path, text }) => wordsOf(text).map((line) => `${path}: ${line}`));
  expect(found).toEqual([]);
});

test('Karpenter is named where its taints and annotations are read, and nowhere else', () => {
  const named = rooms.flatMap(filesOf).filter(({ text }) => /karpenter/i.test(codeOf(text)));
  expect(named.map(({ path }) => path).toSorted()).toEqual(Object.keys(karpenter).toSorted());
});

test.each([
  "if (provider === 'eks') return;",
  "const label = 'eks.amazonaws.com/nodegroup';",
  "hint: 'Check Auto Scaling.'",
  "attributeFix(object, 'deregistration_delay.timeout_seconds=120')",
  "hint: 'Raise connectionDraining.'",
  "hint: 'Ask Google.'",
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
