/** What a plan says about target groups of nodes whose health check fails for good. */
import { describe, expect, test } from 'vitest';
import { noteSilent } from '../../../core/guard/silent-groups.ts';
import { aGroup, aNode, aTarget, onePodOnEach } from '../support/facts.ts';
import type { TargetGroupFacts, TargetState } from '../support/model.ts';
import { factsOf, nodes, planFor, type Scene } from '../support/scene.ts';

describe('a group of nodes without a healthy target', () => {
  const dead = (name: string, state: TargetState = 'unhealthy', balanced = nodes) =>
    aGroup('web', [], { id: name, name, targets: balanced.map((node) => aTarget(node, { state })) });
  const find = (groups: readonly TargetGroupFacts[], scene: Scene = {}) => {
    const facts = { ...factsOf(scene), targetGroups: noteSilent(groups, []) };
    return planFor(facts).findings.filter(({ rule }) => rule === 'SVC-032');
  };

  test('is a warning where another group of its Service works', () => {
    const [warning, ...others] = find([dead('https', 'healthy'), dead('http')]);
    expect(others).toEqual([]);
    expect(warning).toMatchObject({
      severity: 'warning',
      subject: 'service default/web',
      message:
        'none of the targets of http is healthy (4 targets: 4 unhealthy), although 4 endpoints are ready; what must keep serving is counted in the other target groups, until one of its targets is healthy',
      hint: expect.stringContaining('remove what registers the nodes there, such as a port of the Service'),
    });
    expect(warning).not.toHaveProperty('leavesUnprotected');
  });

  test('is an error where none works, also where the pods are on other nodes', () => {
    const other = aNode('x', { pool: 'other' });
    const elsewhere: Scene = { traffic: 'Cluster', nodes: [...nodes, other], pods: onePodOnEach('web', [other]) };
    for (const scene of [{}, elsewhere])
      expect(find([dead('https'), dead('http')], scene)).toMatchObject(
        ['https', 'http'].map((name) => ({
          severity: 'error',
          message: expect.stringMatching(`targets of ${name} .*counted in registered targets`),
          leavesUnprotected: true,
        })),
      );
  });

  test('is no finding where nobody uses it, and where no pod is ready', () => {
    expect(find([dead('https', 'unused')])).toEqual([]);
    expect(find([dead('https')], { pods: [] })).toEqual([]);
  });
});
