import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eksHands } from '../../bench/eks-hands.ts';
import { upgradeInOrder } from '../../bench/other-orders.ts';
import type { ProtectiveRule } from '../../core/steps/steps.ts';
import type { Scenario } from '../../lab/scenario.ts';
import { controlsScenario } from '../../lab/scenarios/controls.ts';
import type { Traffic } from '../../lab/traffic/traffic.ts';
import { type EndpointChurn, startEndpointChurn } from '../support/endpoint-churn.ts';
import { isMatrix } from '../support/extent.ts';
import {
  badIn,
  describeLosses,
  type LabUpgrades,
  type Losses,
  openLabUpgrades,
  ownershipOf,
  startLongStreams,
} from '../support/lab-upgrades.ts';

/**
 * Each protective rule is switched off alone, and the traffic that it protects must suffer; the same lab with all rules on, and a
 * cloud that refuses 30 % of the calls that change it, loses nothing. Every upgrade leaves a fresh pool for the next.
 *
 * `wait-for-replacements` is left to test/workflows/protective-rules.test.ts: here the guard alone keeps minimum serving, because a new
 * pod starts sooner than an instance ends, so that nothing a client could see depends on the rule.
 */
interface Control {
  readonly rule: ProtectiveRule;
  readonly harm: string;
  /** Streams that the rule protects. */
  readonly streams: RegExp;
  readonly longStreams?: boolean;
  /** Other endpoints change all the time. */
  readonly churn?: boolean;
  /** The cloud controller manager can't deregister anything. */
  readonly deregistrationRefused?: boolean;
}

const controls: readonly Control[] = [
  {
    // The timer alone is over while the load balancer has not heard of the exclusion yet: web's pods leave all the same.
    rule: 'wait-for-deregistration',
    harm: 'connections to web meet nodes without a pod while the controller can’t deregister them',
    streams: /^web\//,
    deregistrationRefused: true,
  },
  {
    // The deregistration delay of 2 s is over, and for 13 s more the load balancer sends new connections.
    rule: 'wait-for-propagation',
    harm: 'the last new connections to web meet a node without a pod',
    streams: /^web\//,
  },
  {
    // api's pods get connections from every node until each kube-proxy has heard, and refuse them from SIGTERM on. In a lab
    // where nothing else happens kube-proxy is quicker than SIGTERM; in a busy cluster it is up to a second late.
    rule: 'remove-endpoints-before-eviction',
    harm: 'connections to api are refused that other nodes still forward',
    streams: /^api\//,
    churn: true,
  },
  {
    // No pod of edge is on the pool's nodes, so nothing but the age of its streams delays their termination.
    rule: 'wait-for-forwarded-connections',
    harm: 'streams to edge that pass through the nodes are cut',
    streams: /^edge\/long-stream$/,
    longStreams: true,
  },
  {
    // Both nodes go at once, and the new ones have no pod of web yet.
    rule: 'capacity-guard',
    harm: 'nobody serves web for a while',
    streams: /^web\//,
  },
  {
    // The endpoint on the dead instance stays listed until its Node is gone, and longer.
    rule: 'remove-daemonset-endpoints',
    harm: 'callers in the cluster are sent to a machine that is gone',
    streams: /^agent\/inside$/,
  },
];

/** One for each way to leave: the node its load balancer, the pod its Services, and how many nodes together. */
const representative = controls.filter(({ rule }) =>
  ['wait-for-deregistration', 'remove-endpoints-before-eviction', 'capacity-guard'].includes(rule),
);

/** More than a busy machine loses by chance; the least that any control has lost so far is 19. */
const chance = 3;

/**
 * Load balancers hear of a deregistration later than elsewhere: a run that does not wait for that must have evicted pods by then, also on a busy
 * computer. With 8 s, one at a load of twenty had not.
 */
const scenario: Scenario = {
  ...controlsScenario,
  delays: { ...controlsScenario.delays, deregistrationPropagationMs: 15_000 },
};

/** Far above what any control loses: the run must not pause. */
const lossBudget = 1_000_000;

describe('in a real cluster under traffic', () => {
  let upgrades: LabUpgrades;
  let longStreams: Traffic | undefined;
  const ending: Promise<unknown>[] = [];
  let churn: EndpointChurn | undefined;
  beforeAll(async () => {
    upgrades = await openLabUpgrades(scenario);
  });
  afterEach(async () => {
    upgrades.session.lab.aws.faults.clear();
    // Its streams take long to end, and the next upgrade need not wait for that.
    if (longStreams !== undefined) ending.push(longStreams.stop());
    longStreams = undefined;
    await churn?.stop();
    churn = undefined;
  });
  afterAll(async () => {
    await Promise.all(ending);
    await upgrades?.close();
  });

  const withLongStreams = () => {
    longStreams = startLongStreams(upgrades.session.lab);
    return [longStreams];
  };

  test('with all rules on, 30 % of the calls to EKS, Auto Scaling and EC2 throttled and endpoints that change all the time, nothing is lost', async () => {
    const { lab } = upgrades.session;
    const extra = withLongStreams();
    churn = await startEndpointChurn(lab);
    await upgrades.beginClean(extra);
    // Throttled reads of the load balancers only make it longer: the contract tests and the simulator throttle those too.
    // Not those of the cloud controller manager: it may never register a node whose instance it could not read when the node came.
    for (const service of ['eks', 'autoscaling', 'ec2'])
      lab.aws.faults.throttle({ service, client: 'aws-sdk-js' }, 0.3);
    const startedAt = Date.now();
    const report = await upgrades.upgrade(upgrades.nextPolicy({ longStreams: true }));
    lab.aws.faults.clear();
    const losses = await upgrades.losses(extra);
    tell('all rules on, throttled', losses, startedAt);
    expect(report.outcome).toBe('completed');
    expect(report.leftovers).toEqual([]);
    expect(report.disabledRules).toEqual([]);
    expect(await ownershipOf(lab, report.run)).toEqual([]);
    expect(describeLosses(losses)).toMatch(/none lost, cut or slow$/);
    expect(losses.perStream['edge/long-stream']?.sent).toBeGreaterThan(0);
  });

  test.each(isMatrix ? controls : representative)('without $rule $harm', async (control) => {
    const { lab } = upgrades.session;
    const extra = control.longStreams === true ? withLongStreams() : [];
    if (control.churn === true) churn = await startEndpointChurn(lab);
    await upgrades.beginClean(extra);
    if (control.deregistrationRefused === true) {
      lab.aws.faults.throttle({ service: 'elbv2', action: 'DeregisterTargets' }, 1);
    }
    const { rule, longStreams: long = false } = control;
    const startedAt = Date.now();
    const report = await upgrades.upgrade(upgrades.nextPolicy({ without: [rule], longStreams: long, lossBudget }));
    lab.aws.faults.clear();
    const losses = await upgrades.losses(extra);
    tell(`without ${rule}`, losses, startedAt);
    expect(report.outcome).toBe('completed');
    expect(report.disabledRules).toEqual([rule]);
    expect(report.unprotected.join('\n')).toContain(rule);
    expect(badIn(losses, control.streams), describeLosses(losses)).toBeGreaterThan(chance);
  });

  test('the usual order loses more than a handful of connections to web and to api', async () => {
    const { lab } = upgrades.session;
    await upgrades.beginClean();
    const startedAt = Date.now();
    const pools = { pool: upgrades.pool(), newPool: 'naive' };
    await upgradeInOrder({
      order: 'naive',
      kubeconfigPath: lab.kubeconfigPath,
      poolLabel: lab.cloud.poolLabel,
      hands: eksHands(lab, { ...pools, version: '1.36' }),
      ...pools,
      onProgress: () => undefined,
    });
    upgrades.movedTo('naive');
    const losses = await upgrades.losses();
    tell('the usual order', losses, startedAt);
    expect(badIn(losses, /^web\//), describeLosses(losses)).toBeGreaterThan(10);
    expect(badIn(losses, /^api\//), describeLosses(losses)).toBeGreaterThan(10);
  });
});

/** Puts the measured loss into the test's output, so that a control that grows weak is seen before it fails. */
function tell(what: string, losses: Losses, startedAt: number): void {
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  process.stderr.write(`* ${what}: ${describeLosses(losses)} (${seconds} s)\n`);
}
