import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listFields } from '../../client/explain/policy-field.ts';
import { findTopic, suggestTopic } from '../../client/explain/topics.ts';
import { exitCodes } from '../../client/output/exit-codes.ts';
import { plainStyle } from '../../client/output/style.ts';
import { renderTopic } from '../../client/view/topic.ts';
import { problemCodes } from '../../core/model/problem.ts';
import { runCommandLine } from '../support/command-line.ts';
import { packagesLoadedBy } from '../support/loaded-modules.ts';

function draw(name: string, width: number): string {
  const topic = findTopic(name);
  return topic === undefined ? '' : `\n${renderTopic(topic, { ...plainStyle, width }).join('\n')}\n`;
}

describe('a topic', () => {
  test.each([
    ['wkl-003', { kind: 'rule', name: 'WKL-003', severities: ['blocker'] }],
    ['lockheld', { kind: 'code', name: 'LockHeld', exitCode: exitCodes.failed, retryable: false }],
    ['69', { kind: 'exit-code', codes: expect.arrayContaining(['TemporalUnreachable']) }],
    ['spec.guard.minServing', { kind: 'field', required: false }],
    ['guard.maxInFlight', { kind: 'field', type: 'a whole number from 1 to 1000' }],
    ['spec.traffic.probes.timeout', { name: 'spec.traffic.probes[].timeout', default: expect.any(String) }],
    ['spec.drain.jobs', { type: 'one of evict, wait', default: 'evict' }],
    ['spec.cluster.name', { required: true }],
  ])('is found by %s', (name, topic) => {
    expect(findTopic(name)).toMatchObject(topic);
  });

  test.each([
    ['WKL-03', 'WKL-003'],
    ['lockhelt', 'LockHeld'],
    ['spec.gaurd.minServing', 'spec.guard.minServing'],
    ['drain.job', 'spec.drain.jobs'],
    ['maxInFlihgt', 'spec.guard.maxInFlight'],
    ['something else', undefined],
  ])('that does not exist (%s) suggests %s', (name, suggestion) => {
    expect(suggestTopic(name)).toBe(suggestion);
  });

  test('is there for every problem code, and for every field of the policy page', () => {
    for (const code of Object.keys(problemCodes)) expect(findTopic(code)).toMatchObject({ kind: 'code' });
    const page = readFileSync(new URL('../../docs/policy.md', import.meta.url), 'utf8');
    const fields = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name);
    expect(fields.filter((name) => findTopic(name) === undefined)).toEqual([]);
    expect(listFields().length).toBeGreaterThanOrEqual(fields.length);
  });

  test('is there for every exit code of the documentation', () => {
    const page = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');
    const documented = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code = '']) => code);
    expect(new Set(documented.map(Number))).toEqual(new Set(Object.values(exitCodes)));
    for (const code of documented) expect(findTopic(code)).toMatchObject({ kind: 'exit-code' });
  });

  test.each([80, 160])('fits %i columns', (width) => {
    const names = ['WKL-003', 'spec.nodeSurge', 'LockHeld', '69'];
    expect(names.map((name) => draw(name, width)).join('')).toMatchSnapshot();
  });
});

describe('explain', () => {
  const env = { NO_COLOR: '1' };

  test('prints a topic as data', async () => {
    const { code, stdout } = await runCommandLine(['explain', 'SVC-028', '-o', 'json'], { input: '', env });

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'rule', severities: ['blocker', 'error', 'info'] });
  });

  test('refuses an unknown name with the nearest one', async () => {
    const refused = await runCommandLine(['explain', 'WKL-0003'], { input: '', env });

    expect(refused).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining('Did you mean WKL-003?') });
  });

  test('loads nothing of Temporal, Kubernetes or a cloud', () => {
    const packages = packagesLoadedBy(['explain', 'spec.guard']);

    expect(packages.filter((name) => /temporalio|kubernetes|aws|smithy|grpc/.test(name))).toEqual([]);
  });
});
