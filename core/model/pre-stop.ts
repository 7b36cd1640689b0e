import type { PreStopFacts } from './lifecycle.ts';
import type { PodFacts } from './pod.ts';

type Stopping = Pick<PodFacts, 'preStopSeconds' | 'lifecycle'>;

/**
 * Commands that end a server at once, or make its readiness fail at once. `wait-shutdown` of ingress-nginx sends SIGTERM to the controller, which fails
 * its readiness from then on and quits (kubernetes/ingress-nginx cmd/waitshutdown/main.go, issue 13689).
 */
const ending = /wait-shutdown|\bnginx\b[^;&|]*\s-s\s+(?:quit|stop)|\b(?:p?kill|killall)\s/;

/** A sleep of so many seconds that the command waits for. */
const sleeping = /\bsleep\s+(\d+)s?(?![\w.])(?!\s*&(?!&))/;

/** The containers that serve and whose preStop hook tells the server to stop without sleeping first, with the command of the hook. */
export function endingAtOnce({ lifecycle }: Stopping): readonly { readonly name: string; readonly command: string }[] {
  const { containers = [], preStops = {} } = lifecycle ?? {};
  return containers.flatMap((name) => {
    const { command = '' } = preStops[name] ?? {};
    return ending.test(command) && sleptBy(preStops[name]) === 0 ? [{ name, command }] : [];
  });
}

/**
 * How long the preStop hooks of a pod let it serve on, seconds: as long as the shortest of the containers that serve, and at least as long as they are
 * known to sleep. Before Kubernetes 1.30 there are only commands (KEP-3960). Enough for what an operator is told; what a run does rests on
 * `preStopSeconds` alone, because a command may be missing in its image.
 */
export function preStopOf({ preStopSeconds, lifecycle }: Stopping): number {
  const { containers = [], preStops = {} } = lifecycle ?? {};
  const shortest = containers.length === 0 ? 0 : Math.min(...containers.map((name) => sleptBy(preStops[name])));
  return Math.max(preStopSeconds, shortest);
}

/** How long the longest preStop hook of a pod sleeps, seconds, whichever container has it. */
export function maxPreStopOf(pod: Stopping): number {
  return Math.max(preStopOf(pod), ...Object.values(pod.lifecycle?.preStops ?? {}).map(sleptBy));
}

/**
 * How long a hook sleeps, seconds: a `sleep` hook, or a command that sleeps, as far as can be read from it. What a command sleeps after it has told
 * the server to stop does not count.
 */
export function sleptBy({ seconds = 0, command = '' }: Omit<PreStopFacts, 'handler'> = {}): number {
  const [serving = ''] = command.split(ending);
  const [, slept = '0'] = sleeping.exec(serving) ?? [];
  return Math.max(seconds, Number(slept));
}
