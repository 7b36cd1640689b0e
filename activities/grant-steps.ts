import { nextStepOut } from '../core/guard/next-step-out.ts';
import { findLostProtection } from '../core/guard/unprotected.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import type { ServicePlan } from '../core/plan/pool-plan.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Evidence } from '../core/status/status.ts';
import { isEnabled } from '../core/waits/formulas.ts';
import { targetsOf } from '../core/waits/load-balancers.ts';
import type { Ports } from '../ports/ports.ts';
import type { Looking } from './looking.ts';
import { type Outcome, pollUntil } from './polling.ts';

/** A node that may step out, why, and what was seen of it. */
export interface Grant {
  readonly node: NodeRef;
  readonly reason: string;
  readonly evidence: readonly Evidence[];
}

/** Who asks for grants. */
export interface GrantQuestion {
  readonly policy: Policy;
  readonly services: readonly ServicePlan[];
  readonly inFlight: readonly NodeRef[];
  readonly waiting: readonly NodeRef[];
}

/** The step that lets nodes step out, as many as one look allows. */
export function createGrantSteps(ports: Ports, looking: Looking) {
  return {
    /**
     * Looks until the guard lets at least one waiting node go. All grants of one answer rest on one look and on each other, so
     * two nodes never pass on the same spare capacity. The deadline runs only while nothing of ours is in flight.
     */
    awaitStepOut: async (input: GrantQuestion): Promise<Outcome<{ grants: readonly Grant[] }>> =>
      await pollUntil<{ grants: readonly Grant[] }>({
        clock: ports.clock,
        what: 'capacity to let another node step out',
        deadlineMs: undefined,
        pollMs: input.policy.waits.pollMs,
        hint: 'Scale up or mend what does not serve; then resume.',
        look: async ({ now, since, memo }) => {
          const facts = await looking.serving();
          const { grants, reason, inFlight } = grantAll(input, facts);
          if (grants.length > 0) return { done: true, value: { grants } };
          const lonelySince =
            inFlight > 0 ? now : typeof memo['lonelySince'] === 'number' ? memo['lonelySince'] : since;
          const tooLong = now - lonelySince >= input.policy.waits.deadlines.guardMs;
          return { done: false, reason, memo: { lonelySince }, giveUp: tooLong };
        },
      }),
  };
}

function grantAll(input: GrantQuestion, facts: ServingFacts) {
  const exists = (node: NodeRef) => facts.cluster.nodes.some((other) => other.uid === node.uid);
  const inFlight = input.inFlight.filter(exists);
  const grants: Grant[] = [];
  const { services, policy, waiting } = input;
  const lost = findLostProtection({ facts, services, policy, nodes: waiting });
  if (lost !== undefined) return { grants, reason: lost, inFlight: inFlight.length };
  for (;;) {
    const answer = nextStepOut({
      facts,
      services: input.services,
      inFlight,
      waiting: input.waiting.filter((node) => !inFlight.some((other) => other.uid === node.uid)),
      maxInFlight: input.policy.guard.maxInFlight,
      enabled: isEnabled(input.policy, 'capacity-guard'),
    });
    if (answer.node === undefined) return { grants, reason: answer.reason, inFlight: inFlight.length };
    grants.push({ node: answer.node, reason: answer.reason, evidence: seenServing(answer.node, facts) });
    inFlight.push(answer.node);
  }
}

/** What the load balancers said of the node while it still served. */
function seenServing(node: NodeRef, facts: ServingFacts): readonly Evidence[] {
  const targets = facts.targetGroups.flatMap((group) => targetsOf(node, group).map((target) => ({ group, target })));
  if (targets.length === 0) return [];
  const at = facts.observedAt;
  const healthy = targets.filter(({ target }) => target.state === 'healthy');
  const names = (list: typeof targets) => list.map(({ group }) => group.name).join(', ');
  return [
    { kind: 'registered', at, detail: names(targets) },
    ...(healthy.length === 0 ? [] : [{ kind: 'healthy' as const, at, detail: names(healthy) }]),
  ];
}
