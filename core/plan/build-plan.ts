import { countUnready } from '../eviction/unready-before.ts';
import { learnBaselines } from '../guard/baseline.ts';
import { layOutInSlices } from '../guard/lay-out.ts';
import type { Lacks, PoolFacts } from '../model/pool.ts';
import type { ServingFacts } from '../model/serving.ts';
import { countUnplaced } from '../model/unplaced.ts';
import { decideEligibilityInSlices } from '../pod-surge/eligibility.ts';
import { oldNodes } from '../policy/members.ts';
import { type Policy, surgesPods } from '../policy/policy.ts';
import { doAtOnce, type Slices } from '../slices.ts';
import { neededSize, surgeAtOnce } from '../surge/at-once.ts';
import type { ZonedSize } from '../surge/zoned-size.ts';
import { auditInSlices } from './audit/audit.ts';
import { capFindings, capPodSurge } from './cap.ts';
import { estimateRun, expectTimes } from './estimate.ts';
import { orderNodes } from './order.ts';
import { planPodSurge } from './pod-surge-plan.ts';
import type { PoolPlan } from './pool-plan.ts';
import { planServices } from './service-plan.ts';
import { simulateInSlices } from './simulate-batches.ts';
import { surgedFacts } from './surged-facts.ts';
import { newZonesOf, unevenZones, type ZoneTraits } from './zones-of-pool.ts';

/** What a plan has to know about the provider of a pool. */
interface ProviderFacts extends ZoneTraits {
  readonly lacks: Lacks;
}

/** A cloud that gives each zone what it needs. */
const asNeeded = (needs: ZonedSize): ZonedSize => needs;

/** What a plan is made from. */
interface PlanQuestion {
  readonly policy: Policy;
  readonly run: string;
  /** The old pool, as the cloud reports it. */
  readonly pool: PoolFacts;
  /** The pool that exists already under the name of the new one. */
  readonly newPool?: PoolFacts;
  /** What is known of the provider of the pool; when it is not given, it can do everything. */
  readonly provider?: ProviderFacts;
  readonly facts: ServingFacts;
  /** Claims (`namespace/name`) whose volumes any number of nodes may mount; none when it is not given. */
  readonly sharedVolumeClaims?: ReadonlySet<string>;
  /** The API server's responses to dry runs of releasing pods; see `PodSurgeContext`. */
  readonly denials?: ReadonlyMap<string, string>;
}

/** Makes the plan of one upgrade from one observation. The same facts give the same plan, in whatever order they come. */
export function buildPlan(question: PlanQuestion): PoolPlan {
  return doAtOnce(buildPlanInSlices(question));
}

/** The same, in slices: with tens of thousands of pods it takes a second or two. */
export function* buildPlanInSlices(question: PlanQuestion): Slices<PoolPlan> {
  const {
    policy,
    run,
    pool,
    newPool,
    provider = { lacks: {}, spread: asNeeded, grows: asNeeded },
    facts,
    sharedVolumeClaims = new Set<string>(),
    denials = new Map<string, string>(),
  } = question;
  const asked = { policy, sharedVolumeClaims, denials };
  yield* layOutInSlices(facts);
  const baselines = learnBaselines([], facts, policy);
  yield;
  const services = planServices(facts, policy, baselines);
  yield;
  const old = oldNodes(facts.cluster, policy);
  const nodes = orderNodes(old, facts, services);
  yield;
  const batches = yield* simulateInSlices({ ...asked, facts, baselines, nodes });
  yield;
  if (surgesPods(policy)) yield* decideEligibilityInSlices(nodes, { ...asked, cluster: facts.cluster });
  const podSurge = planPodSurge(nodes, { ...asked, cluster: facts.cluster });
  yield;
  const surged = surgesPods(policy) ? surgedFacts({ ...asked, facts, batch: nodes }) : facts;
  const surge = policy.selection === undefined ? neededSize(nodes, pool) : 0;
  const unplaced = countUnplaced(facts.cluster);
  const unreadyBefore = countUnready({ facts: facts.cluster, policy, now: facts.observedAt });
  const adopted = policy.adoptTarget === true ? newPool : undefined;
  const atOnce = surgeAtOnce(policy, surge);
  const zones = policy.selection === undefined ? unevenZones(nodes, pool, surge, provider) : undefined;
  const audited = {
    policy,
    pool,
    newPool,
    lacks: provider.lacks,
    newZones: zones && newZonesOf(zones, { adopted, inWaves: atOnce !== undefined }, provider),
    facts,
    services,
    baselines,
    nodes,
    batches,
    podSurge,
    surged,
  };
  const findings = capFindings(yield* auditInSlices(audited));
  yield;
  const estimated = { facts, policy, services, nodes, batches };
  return {
    run,
    policy,
    oldPool: pool.ref,
    newPool: { ...pool.ref, name: policy.target.poolName },
    fromVersion: pool.version,
    toVersion: policy.target.version ?? adopted?.version ?? pool.version,
    nodes,
    surge,
    ...(pool.desiredSize === surge ? {} : { oldSize: pool.desiredSize }),
    ...(adopted === undefined ? {} : { foundSize: adopted.desiredSize }),
    ...(atOnce === undefined ? {} : { surgeAtOnce: atOnce }),
    ...(zones && { zones }),
    services,
    ...(podSurge.length > 0 ? { podSurge: capPodSurge(podSurge) } : {}),
    baselines,
    ...(Object.keys(unplaced).length > 0 ? { unplaced } : {}),
    ...(Object.keys(unreadyBefore).length > 0 ? { unreadyBefore } : {}),
    findings,
    expected: expectTimes(estimated),
    estimate: estimateRun(estimated),
  };
}
