import type { PodFacts } from './pod.ts';

/**
 * Commands that end a server at once, or make its readiness fail at once. `wait-shutdown` of ingress-nginx sends SIGTERM to the controller, which fails
 * its readiness from then on and quits (kubernetes/ingress-nginx cmd/waitshutdown/main.go, issue 13689).
 */
const ending = /wait-shutdown|\bnginx\b[^;&|]*\s-s\s+(?:quit|stop)|\b(?:p?kill|killall)\s/;

/** A sleep of so many seconds that the command waits for. */
const sleeping = /\bsleep\s+(\d+)s?(?![\w.])(?!\s*&(?!&))/;

/** Whether the preStop hook of a pod tells its server to stop without sleeping first. */
export function endsAtOnce(pod: PodFacts): boolean {
  return ending.test(pod.lifecycle?.preStopCommand ?? '') && preStopOf(pod) === 0;
}

/**
 * How long the preStop hook of a pod lets it serve on, seconds: a `sleep` hook, or a command that sleeps, as far as can be read from it; before Kubernetes
 * 1.30 there is nothing else (KEP-3960). What a command sleeps after it has told the server to stop does not count. Enough for what an operator is
 * told; what a run does rests on `preStopSeconds` alone, because a command may be missing in its image.
 */
export function preStopOf({ preStopSeconds, lifecycle }: Pick<PodFacts, 'preStopSeconds' | 'lifecycle'>): number {
  if (lifecycle?.hooksDiffer === true) return preStopSeconds;
  const [serving = ''] = (lifecycle?.preStopCommand ?? '').split(ending);
  const [, slept = '0'] = sleeping.exec(serving) ?? [];
  return Math.max(preStopSeconds, Number(slept));
}
