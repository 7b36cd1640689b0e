import { describe, expect, test } from 'vitest';

import { findWords, isIgnored } from '../../scripts/words/find-words.ts';
import { readWords } from '../../scripts/words/read-words.ts';

const wordsIn = (text: string, path = 'core/guard/guard.ts') => findWords(path, text).map(({ word }) => word);

describe('reading words', () => {
  test.each([
    ['letNextStepOut', 'let next step out'],
    ['HAND_OVER', 'hand over'],
    ['hand-over-steps.ts', 'hand over steps.ts'],
    ['parseHTTPServer', 'parse http server'],
    ['hand\n   * over', 'hand over'],
    ['// hand\n    // over', '// hand over'],
    ['a - b', 'a - b'],
  ])('%j reads as %j', (text, words) => {
    expect(readWords(text).words).toBe(words);
  });
});

describe('refused words', () => {
  test.each([
    ['step out', 'The node steps out.'],
    ['step out', 'const nextStepOut = 1;'],
    ['step out', 'Nodes are stepping\n * out together.'],
    ['let go', 'until the load balancer lets the node go'],
    ['let go', 'letGo(run)'],
    ['observed out', 'awaitObservedOut'],
    ['hand over', 'spec.handOver.mode'],
    ['hand over', 'Pods are handed over.'],
    ['hand over', 'workloads that hand all pods over'],
    ['give back', 'gives every pod back'],
    ['put back', 'the node is put back'],
    ['hold', 'holdRebalancing()'],
    ['hold', 'The guard holds nodes back.'],
    ['retire', 'endpointsRetired'],
    ['unlist', 'unlisted pods'],
    ['transit', 'transit connections'],
    ['floor', 'defaultFloor'],
    ['at its best', 'as it was at its best'],
    ['memo', 'memo.since'],
    ['parked', 'parked steps are tried again'],
    ['needs attention', "'needs-attention'"],
    ['stray', 'includeStrays'],
    ['stranger', 'findStrangers'],
    ['mark', 'NodeMarks'],
    ['mark', 'what carries a mark of the run'],
    ['wish', 'findWish'],
    ['foreign act', 'status.foreignActs'],
    ['claim', 'the NodeClaim of an attempt'],
    ['claim', 'Attempts claim their node.'],
    ['mend', 'a defect to be mended'],
    ['crossing', 'a crossing of the lab'],
    ['makespan', 'makespanMs'],
    ['how it stands', 'shows how a run stands'],
    ['machine', 'the machine has ended'],
    ['look', 'every look at the cluster'],
    ['look', 'createLooking()'],
    ['sweep', 'nodeferry sweep'],
    ['removeOwnershipMarks', "'disowned'"],
    ['ChildOnItsWay', 'interface ChildOnItsWay {'],
    ['leaving-load-balancers', "step: 'leaving-load-balancers'"],
    ['tell…', 'tellHeld(pod)'],
    ['most…, longest…', 'const longestBackOffMs = 1;'],
    ['…AtMost', 'const candidatesAtMost = 50;'],
  ])('%s: %j', (word, text) => {
    expect(wordsIn(text)).toEqual([word]);
  });
});

describe('words that are right', () => {
  test.each([
    'The step times out.',
    'Math.floor(1.5)',
    'The lock is held by another run; its holder renews it.',
    'This holds for every zone, and the file holds one entry.',
    'A PersistentVolumeClaim, volumeClaims, and remainingClaims are Kubernetes.',
    'Karpenter deletes the NodeClaim.',
    'Traffic crossing zones costs more.',
    'an explicit state machine',
    'Install it on your machine.',
    'It looks like a timeout: look up the address.',
    'The maintenance window opens at two.',
    'Windows nodes are not supported.',
    'ownership marks; markStalled(node)',
    'Ownership marks of a run, and ownership marks on its nodes, stay.',
    'the outlook, recommended amendments, transition, withhold',
    'Take the next one; it is its turn.',
    'almost, the most pods, the longest wait, the shortest cycle',
    'const foretell = retellAll();',
  ])('%j', (text) => {
    expect(wordsIn(text)).toEqual([]);
  });
});

test('a word is told where it stands, as it stands there, with what to write instead', () => {
  expect(findWords('core/a.ts', 'const a = 1;\n/** The floor of a Service. */')).toEqual([
    { line: 2, column: 9, found: 'floor', word: 'floor', say: 'minimum serving' },
  ]);
  expect(findWords('core/a.ts', ' * What may step\n * out.')).toMatchObject([{ line: 1, found: 'step out' }]);
  expect(findWords('core/a.ts', 'one\n  two handOver()')).toMatchObject([{ line: 2, column: 7, found: 'handOver' }]);
});

test('an old name that holds a banned word is told once', () => {
  expect(wordsIn('tellHandedOver and handedOverFacts')).toEqual(['tell…', 'hand over']);
});

test('what runs on a developer’s machine is called a machine in the scripts', () => {
  expect(wordsIn('what the machine has', 'scripts/testing/machine.ts')).toEqual([]);
  expect(wordsIn('what the machine has', 'core/model/node.ts')).toEqual(['machine']);
});

test('the changelog may name what has been renamed, in its tables alone', () => {
  const table = '| spec.handOver | spec.podSurge |\n';

  expect(wordsIn(table, 'CHANGELOG.md')).toEqual([]);
  expect(wordsIn(table, 'docs/policy.md')).toEqual(['hand over']);
  expect(wordsIn('- handOver is new', 'CHANGELOG.md')).toEqual(['hand over']);
});

test('files whose words are not ours are left alone', () => {
  expect(isIgnored('test/replay/histories/completed-pool.json')).toBe(true);
  expect(isIgnored('package-lock.json')).toBe(true);
  expect(isIgnored('test/replay/replay.test.ts')).toBe(false);
});
