import { learnBaselines } from '../guard/baseline.ts';
import { layOutInSlices } from '../guard/lay-out.ts';
import { decideEligibilityInSlices } from '../hand-over/eligibility.ts';
import type { PoolFacts } from '../model/pool.ts';
import type { ServingFacts } from '../model/serving.ts';
import { countUnplaced } from '../model/unplaced.ts';
import { handsOver, type Policy } from '../policy/policy.ts';
import { doAtOnce, type Slices } from '../slices.ts';
import { surgeAtOnce } from '../surge/at-once.ts';
import { auditInSlices } from './audit/audit.ts';
import { estimateRun } from './estimate.ts';
import { planHandOver } from './hand-over-plan.ts';
import { handedOverFacts } from './handed-over-facts.ts';
import { orderNodes } from './order.ts';
import type { PoolPlan } from './pool-plan.ts';
import { planServices } from './service-plan.ts';
import { simulateInSlices } from './windows.ts';

/** What a plan is made from. */
export interface PlanQuestion {
  readonly policy: Policy;
  readonly run: string;
  /** The old pool, as the cloud sees it. */
  readonly pool: PoolFacts;
  readonly facts: ServingFacts;
  /** Claims (`namespace/name`) whose volumes any number of nodes may mount; none when it is not given. */
  readonly sharedClaims?: ReadonlySet<string>;
  /** What the API server said to trials of releasing pods; see `HandOverContext`. */
  readonly denials?: ReadonlyMap<string, string>;
}

/** Makes the plan of one upgrade from one look. The same facts give the same plan, whatever order they come in. */
export function buildPlan(question: PlanQuestion): PoolPlan {
  return doAtOnce(buildPlanInSlices(question));
}

/** The same, in slices: with tens of thousands of pods all of it takes a second or two. */
export function* buildPlanInSlices(question: PlanQuestion): Slices<PoolPlan> {
  const { policy, run, pool, facts, sharedClaims = new Set<string>(), denials = new Map<string, string>() } = question;
  const asked = { policy, sharedClaims, denials };
  yield* layOutInSlices(facts);
  const baselines = learnBaselines([], facts, policy);
  yield;
  const services = planServices(facts, policy, baselines);
  yield;
  const old = facts.cluster.nodes.filter((node) => node.pool === policy.pool.name);
  const nodes = orderNodes(old, facts, services);
  yield;
  const windows = yield* simulateInSlices({ ...asked, facts, baselines, nodes });
  yield;
  if (handsOver(policy)) yield* decideEligibilityInSlices(nodes, { ...asked, cluster: facts.cluster });
  const handOver = planHandOver(nodes, { ...asked, cluster: facts.cluster });
  yield;
  const handedOver = handsOver(policy) ? handedOverFacts({ ...asked, facts, wave: nodes }) : facts;
  const surge = Math.max(nodes.length, pool.desiredSize);
  const unplaced = countUnplaced(facts.cluster);
  const atOnce = surgeAtOnce(policy, surge);
  const audited = { policy, pool, facts, services, baselines, nodes, windows, handOver, handedOver };
  const findings = yield* auditInSlices(audited);
  yield;
  return {
    run,
    policy,
    oldPool: pool.ref,
    newPool: { ...pool.ref, name: policy.target.poolName },
    fromVersion: pool.version,
    toVersion: policy.target.version ?? pool.version,
    nodes,
    surge,
    ...(atOnce === undefined ? {} : { surgeAtOnce: atOnce }),
    services,
    ...(handOver.length > 0 ? { handOver } : {}),
    baselines,
    ...(Object.keys(unplaced).length > 0 ? { unplaced } : {}),
    findings,
    estimate: estimateRun({ facts, policy, services, nodes, windows }),
  };
}
