import { expect, test } from 'vitest';
import type { Trial } from '../../core/pod-surge/questions.ts';
import { createTrials } from '../../operations/ask-before-pod-surge.ts';
import { aPod } from '../core/support/facts.ts';

/** An API server that counts how often it is asked, and answers with what `denials` has for the pod. */
function asking() {
  const asked: string[] = [];
  const denials = new Map<string, string>();
  const trials = createTrials({
    tryRelease: async ({ name }) => {
      asked.push(name);
      return denials.get(name);
    },
  });
  return { asked, denials, trials };
}

function trialOf(pod: string, revision: string, workload = 'Deployment default/web'): Trial {
  const replicaSet = { name: revision, uid: `uid-${revision}` };
  return {
    workload,
    pod: aPod(pod, 'n1'),
    from: { label: 'pod-template-hash', value: revision, replicaSet, workload },
  };
}

test('however many batches ask, the API server is asked once for each run and revision of a workload', async () => {
  const { asked, trials } = asking();
  for (let wave = 0; wave < 500; wave += 1) await trials('run-1')(trialOf(`web-${wave}`, 'v1'));
  expect(asked).toEqual(['web-0']);
  await trials('run-1')(trialOf('web-500', 'v2'));
  await trials('run-1')(trialOf('api-1', 'v1', 'Deployment default/api'));
  await trials('run-2')(trialOf('web-501', 'v1'));
  expect(asked).toEqual(['web-0', 'web-500', 'api-1', 'web-501']);
});

test('what was denied is asked again: somebody may have fixed it', async () => {
  const { asked, denials, trials } = asking();
  denials.set('web-1', 'denied by policy');
  expect(await trials('run-1')(trialOf('web-1', 'v1'))).toBe('denied by policy');
  denials.clear();
  expect(await trials('run-1')(trialOf('web-1', 'v1'))).toBeUndefined();
  expect(await trials('run-1')(trialOf('web-1', 'v1'))).toBeUndefined();
  expect(asked).toEqual(['web-1', 'web-1']);
});
