import type { ServiceBaseline } from '../../../core/guard/baseline.ts';
import type { CandidateQuestion } from '../../../core/guard/select-candidate.ts';
import type { StableSince } from '../../../core/guard/stable-since.ts';
import type { PoolPlan } from '../../../core/plan/pool-plan.ts';
import type { EndpointSnapshot } from '../../../core/waits/replacements.ts';
import type { NodeRef, Policy, ServingFacts } from './model.ts';
import type { World } from './world.ts';

/** A node in progress, and its step. */
export interface NodeProgress {
  readonly node: NodeRef;
  step: 'excluded' | 'draining' | 'evicting' | 'replacing';
  readonly before: EndpointSnapshot;
  removedAt: Readonly<Record<string, number>>;
  unreadySince: Readonly<Record<string, number>>;
  /** A pod of it was touched: from here on it only goes forward. */
  begun: boolean;
  labelledAt: number;
  revokedSince: number | undefined;
}

/** A run in a simulated cluster, driven by the product's own decisions. */
export interface PlayedRun {
  readonly play: Play;
  readonly name: string;
  readonly plan: PoolPlan;
  baselines: readonly ServiceBaseline[];
  stableSince: StableSince;
  readonly waiting: NodeRef[];
  inFlight: NodeProgress[];
  readonly replaced: string[];
  staleObservation?: ServingFacts;
}

/** Everything that goes on at once: one world, and one run for each of its pools. */
export interface Play {
  readonly world: World;
  readonly runs: PlayedRun[];
  readonly violations: string[];
  readonly rules: PlayRules;
  now: number;
}

/** What a negative control switches off. */
export interface PlayRules {
  /** The guard that selects nodes: the product's, unless a control has its own. */
  readonly leaving?: (question: CandidateQuestion, plan: PoolPlan) => NodeRef | undefined;
  readonly policy?: Partial<Policy>;
  /** Nodes are excluded on the basis of an observation that is one round old. */
  readonly actsOnStaleObservations?: boolean;
  /** A node that should not have gone stays out. */
  readonly neverRestores?: boolean;
  /** After a node was drained nobody asks its load balancers any more. */
  readonly neverChecksAgain?: boolean;
}
