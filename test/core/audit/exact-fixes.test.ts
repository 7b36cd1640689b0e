/** What findings about load balancers that can't be changed in place offer all the same. */
import { expect, test } from 'vitest';
import { auditOf } from '../support/audited-cluster.ts';
import { aNode } from '../support/facts.ts';

const foundBy = (rule: string, changes: Parameters<typeof auditOf>[0]) =>
  auditOf(changes).findings.find((finding) => finding.rule === rule);

test('SVC-028: a policy may accept the loss, which is said', () => {
  const detail = 'a load balancer that is a proxy';
  const found = foundBy('SVC-028', {
    unsupported: [{ service: 'default/web', why: 'other-targets', detail, hint: 'Use another one.' }],
  });

  expect(found?.severity).toBe('blocker');
  expect(found?.fix.yaml).toBe(
    '# of the policy: accepts that connections are lost\nspec:\n  guard:\n    acceptUnprotected:\n      - default/web',
  );
});

test('SVC-025: says how many new nodes there is room for', () => {
  const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name));
  const hintFor = (targets: number) =>
    foundBy('SVC-025', { nodes, group: { maxTargets: { targets, perZone: false } } })?.fix.text;

  expect(hintFor(6)).toContain('(spec.nodeSurge: 2), which takes longer');
  expect(hintFor(4)).toContain('there is no room for a single new node');
});

test('SVC-020: says where its controller writes why there is none', () => {
  const found = foundBy('SVC-020', { groups: [] });

  expect(found?.fix.text).toContain('kubectl -n default describe service web');
});
