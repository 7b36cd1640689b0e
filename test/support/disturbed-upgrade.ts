/** An upgrade of the lab beside which something happens: once it is over, no more may be lost than that costs alone. */
import { expect } from 'vitest';
import type { RunReport, RunStatus } from '../../core/status/status.ts';
import type { NodeStep } from '../../core/steps/node-steps.ts';
import { sendToRun } from './describe-run.ts';
import { type Cost, costsSomething, findUnexplained, type Struck } from './lab-disturbances.ts';
import { describeLosses, type LabUpgrades, type Losses, type NextOptions, ownershipOf } from './lab-upgrades.ts';

/** The steps in which a node stays long enough to be met there. */
export const metSteps = [
  'deregistering',
  'draining-connections',
  'evicting',
  'awaiting-replacements',
  'removing-endpoints',
  'awaiting-forwarded-connections',
] as const satisfies readonly NodeStep[];

/** Steps in their order, as far as a node that has come to one may still be met in the next. */
const inOrder: readonly NodeStep[] = [...metSteps, 'terminating'];

/**
 * Whether a node has come to that step. A step that has nothing to wait for, as where replacements serve already, may be over before anybody sees it;
 * then the node is met in the next one.
 */
function hasReached(step: NodeStep, wanted: NodeStep): boolean {
  const at = inOrder.indexOf(step);
  return at >= 0 && at >= inOrder.indexOf(wanted);
}

/** Nodes of the run that have been replaced. */
export function countReplaced({ nodes }: RunStatus): number {
  return nodes.filter(({ step }) => step === 'replaced').length;
}

/** What costs nothing alone. */
export const nothing: Cost = { bad: 0, lastedMs: 0 };

/**
 * Waits by which nodes can be met at these steps: connections outlive everything that takes pods off a node, where it is to be met
 * while it waits for them.
 */
function waitsToMeet(steps: readonly NodeStep[]): Readonly<Record<string, unknown>> {
  return steps.includes('awaiting-forwarded-connections') ? { maxConnectionAge: { '*': '75s' } } : {};
}

/** What happens beside an upgrade, and when. */
interface Strike {
  /** It happens once for each of these steps, as soon as a node has come to it or passed it. */
  readonly steps: readonly NodeStep[];
  readonly strike: (node: string) => Promise<void>;
  /** Called with the status of the run, again and again. */
  readonly follow?: (status: RunStatus) => Promise<void>;
  /** Timers that differ from those of the other upgrades. */
  readonly waits?: Readonly<Record<string, unknown>>;
  /** What it costs where nothing else happens, or what it may cost beside a run that ended so. */
  readonly alone: Cost | ((report: RunReport) => Cost);
}

/** Replaces the pool and strikes. Expects that every step was seen, and that the run ended well, left nothing and lost no more than that. */
export async function upgradeDisturbed(
  upgrades: LabUpgrades,
  { steps, strike, alone, follow, waits = {} }: Strike,
): Promise<RunReport> {
  await upgrades.beginClean();
  const struck: Struck[] = [];
  const striking: Promise<void>[] = [];
  const begun = new Set<NodeStep>();
  const policy = upgrades.nextPolicy({ lossBudget: 1_000_000, waits: { ...waitsToMeet(steps), ...waits } });
  const report = await upgrades.upgrade(policy, async (status) => {
    for (const { node, step } of status.nodes) {
      for (const wanted of steps) {
        if (begun.has(wanted) || !hasReached(step, wanted)) continue;
        begun.add(wanted);
        struck.push({ at: Date.now(), what: `${node.name} ${step}` });
        striking.push(strike(node.name));
      }
    }
    await follow?.(status);
  });
  await Promise.all(striking);
  expect([...begun].toSorted()).toEqual([...steps].toSorted());
  expect(report.outcome).toBe('completed');
  const cost = typeof alone === 'function' ? alone(report) : alone;
  await expectUnharmed(upgrades, report, { struck, alone: cost });
  if (costsSomething(cost)) await upgrades.forgetUnanswered();
  return report;
}

/** How an upgrade differs that an operator ends, how many nodes it has replaced by then, and what happens just before. */
type EndOptions = NextOptions & { readonly replaced?: number; readonly justBefore?: () => void };

/** Replaces the pool until a node is at that step, and so many have been replaced, then aborts. */
export async function upgradeAndAbort(
  upgrades: LabUpgrades,
  step: NodeStep,
  options: EndOptions = {},
): Promise<RunReport> {
  return await upgradeAndEnd(upgrades, step, 'abort', options);
}

/** The same, but rolls back to the old pool. */
export async function upgradeAndRollBack(
  upgrades: LabUpgrades,
  step: NodeStep,
  options: EndOptions = {},
): Promise<RunReport> {
  return await upgradeAndEnd(upgrades, step, 'rollback', options);
}

async function upgradeAndEnd(
  upgrades: LabUpgrades,
  step: NodeStep,
  command: 'abort' | 'rollback',
  { replaced = 0, justBefore = () => undefined, ...options }: EndOptions,
): Promise<RunReport> {
  await upgrades.beginClean();
  const policy = upgrades.nextPolicy({ waits: waitsToMeet([step]), ...options });
  let ended = false;
  const report = await upgrades.upgrade(policy, async (status) => {
    if (ended || countReplaced(status) < replaced || !status.nodes.some((node) => hasReached(node.step, step))) return;
    ended = true;
    justBefore();
    await sendToRun(upgrades.session, policy, command);
  });
  expect(ended).toBe(true);
  return report;
}

/**
 * Expects that nothing was left behind, but for a group that stays suspended because its zones are lopsided, and no more lost than what is known to
 * cost something.
 */
export async function expectUnharmed(
  upgrades: LabUpgrades,
  report: RunReport,
  { struck = [], alone = nothing }: { readonly struck?: readonly Struck[]; readonly alone?: Cost } = {},
): Promise<void> {
  const losses = await upgrades.losses();
  const when = struck.map(({ what }) => what).join(', ') || 'nothing';
  process.stderr.write(`* ${report.outcome}; struck at ${when}: ${describeLosses(losses)}\n`);
  if (findUnexplained(losses, struck, alone).length > 0) process.stderr.write(describeTimes(report, struck, losses));
  expect(report.leftovers.filter((line) => !/AZRebalance stays suspended, because/.test(line))).toEqual([]);
  expect(await ownershipOf(upgrades.session.lab, report.run)).toEqual([]);
  expect(findUnexplained(losses, struck, alone), describeLosses(losses)).toEqual([]);
}

/** When everything was, for the reader of a test that failed. */
function describeTimes(report: RunReport, struck: readonly Struck[], { incidents }: Losses): string {
  const moments = [
    ...struck.map(({ at, what }) => ({ at, what: `struck at ${what}` })),
    ...report.nodes.flatMap(({ node, evidence }) =>
      evidence.map(({ at, kind, detail }) => ({ at, what: `${node.name} ${kind}: ${detail}` })),
    ),
    ...report.externalChanges.map(({ at, what }) => ({ at, what })),
    ...incidents.map(({ atMs, stream, error }) => ({ at: atMs, what: `${stream}: ${error ?? 'slow'}` })),
  ];
  return moments
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, what }) => `    ${new Date(at).toISOString().slice(11, 23)} ${what}\n`)
    .join('');
}
