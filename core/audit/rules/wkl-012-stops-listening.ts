import { endingAtOnce } from '../../model/pre-stop.ts';
import { withCommands } from '../commands.ts';
import { explainAdded, letSleep, servingContainers } from '../containers.ts';
import { evictedPods } from '../eviction-needs.ts';
import { groupPods } from '../per-workload.ts';
import type { Rule } from '../rule.ts';

/** WKL-012: a preStop hook that begins to stop the server instead of keeping it. */
export const wkl012StopsListening: Rule = {
  id: 'WKL-012',
  severities: ['error'],
  title: 'A preStop hook that stops the server at once',
  why: 'While the hook runs, callers are still sent to the pod. A hook that tells the server to stop closes its port or makes its readiness fail, and what arrives from then on is refused or dropped.',
  fix: 'Let the hook sleep first, until nobody sends any more.',
  source: 'kubernetes/ingress-nginx#13689',
  check: (question) =>
    groupPods(
      evictedPods(question).filter(({ isBalanced }) => isBalanced),
      ({ pod, need }, object) => {
        const ending = endingAtOnce(pod);
        const [first] = ending;
        if (first === undefined) return undefined;
        const seconds = Math.ceil(need.preStopMs / 1000);
        const { own, added } = servingContainers(pod, question);
        const named = (names: readonly string[]) => names.filter((name) => ending.some((one) => one.name === name));
        return {
          severity: 'error',
          message: `the preStop hook (${first.command}) stops the server, while ${need.because}`,
          fix: {
            text: `Sleep ${seconds} s instead: SIGTERM follows the hook, and stops the server then. It starts a rollout.${explainAdded(named(added), object)}`,
            ...withCommands(letSleep({ pod, object, seconds }, named(own))),
          },
        };
      },
    ),
};
