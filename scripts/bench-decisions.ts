import { renderTable } from '../client/view/table.ts';
import { decisionsOn, renew } from '../test/core/support/decisions.ts';
import { aLargeObservation, type LargeShape } from '../test/core/support/large-cluster.ts';

// node scripts/bench-decisions.ts              every shape
// node scripts/bench-decisions.ts budget       those whose name has the word

/** The longest time that a decision, or a slice of one, may keep a worker from the heartbeats of its other steps, ms of processor time. */
const maxMs = 200;

const size = { nodes: 1000, services: 100 };
const shapes: Readonly<Record<string, LargeShape>> = {
  'a quarter: 250 nodes': { nodes: 250, services: 100, replicas: 50 },
  'policy Local': { ...size, replicas: 50 },
  'policy Cluster': { ...size, replicas: 50, traffic: 'Cluster' },
  'one endpoint per zone, cross-zone off': { ...size, replicas: 3, crossZone: false },
  'pods as targets, a budget each': { ...size, replicas: 50, budgets: 'each', podTargets: true },
  '50,000 pods as targets, no budgets': { ...size, replicas: 500, podTargets: true },
  'a budget each': { ...size, replicas: 50, budgets: 'each' },
  'budgets that allow one disruption': { ...size, replicas: 50, budgets: 'tight' },
  'shared budgets': { ...size, replicas: 50, budgets: 'shared' },
  '50,000 pods, budgets that allow one disruption': { ...size, replicas: 500, budgets: 'tight' },
  '50,000 pods, 4,600 budgets': { ...size, replicas: 50, budgets: 'tight', otherBudgets: 4500 },
  '50,000 pods, 1,100 Services': { ...size, replicas: 50, budgets: 'tight', otherPods: 45_000, otherServices: 1000 },
};

/** Milliseconds that each decision, or its longest slice, takes on its own observation: the median of five. */
function measure(shape: LargeShape): readonly number[] {
  const facts = aLargeObservation(shape);
  return Object.values(decisionsOn(facts)).map((decide) => {
    const taken = [1, 2, 3, 4, 5].map(() => {
      const observation = renew(facts);
      let longest = 0;
      let before = process.threadCpuUsage();
      const endSlice = () => {
        const { user, system } = process.threadCpuUsage(before);
        longest = Math.max(longest, (user + system) / 1000);
        before = process.threadCpuUsage();
      };
      decide(observation, endSlice);
      endSlice();
      return longest;
    });
    return taken.toSorted((a, b) => a - b)[2] ?? 0;
  });
}

const names = Object.keys(decisionsOn(aLargeObservation({ nodes: 3, services: 1, replicas: 3 })));
const rows: (readonly [string, readonly number[]])[] = [];
for (const [name, shape] of Object.entries(shapes)) {
  if (!name.includes(process.argv[2] ?? '')) continue;
  console.error(name);
  rows.push([name, measure(shape)]);
}
const cells = rows.map(([name, times]) => [name, ...times.map((ms) => ms.toFixed(0))]);
console.log(renderTable([['1,000 × 100, MS', ...names.map((name) => name.toUpperCase())], ...cells]).join('\n'));
const worst = Math.max(...rows.flatMap(([, times]) => times));
console.log(`at most ${worst.toFixed(0)} (limit ${maxMs})`);
process.exitCode = worst <= maxMs ? 0 : 1;
