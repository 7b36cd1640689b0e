import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { renderTable } from '../client/view/table.ts';
import type { Proof } from '../lab/demo/proof.ts';
import { projectRoot } from './setup/sources.ts';

// npm run bench           three crossings of the demo's lab, against the limits below
// npm run bench -- 1      as many as named

/** The longest that an upgrade may take, as a multiple of what perfect knowledge would need. */
const mostOfLowerBound = 1.25;

/** The most history events that one node may cost, the pool's own included. */
const mostEventsPerNode = 80;

const runs = Number(process.argv[2] ?? 3);
const proofs: Proof[] = [];
for (let run = 1; run <= runs; run += 1) {
  console.error(`crossing ${run} of ${runs}`);
  proofs.push(await cross());
}
const rows = proofs.map((proof, index) => [
  String(index + 1),
  proof.makespanSeconds.toFixed(1),
  proof.lowerBoundSeconds?.toFixed(1) ?? '-',
  ratio(proof).toFixed(2),
  events(proof).toFixed(1),
  String(proof.requests.sent),
  String(lost(proof)),
]);
const header = ['RUN', 'SECONDS', 'LOWER BOUND', 'RATIO', 'EVENTS/NODE', 'REQUESTS', 'LOST, CUT OR SLOW'];
console.log(renderTable([header, ...rows]).join('\n'));
const worstRatio = Math.max(...proofs.map(ratio));
const worstEvents = Math.max(...proofs.map(events));
console.log(
  `ratio at most ${worstRatio.toFixed(2)} (limit ${mostOfLowerBound}), events per node at most ${worstEvents.toFixed(1)} (limit ${mostEventsPerNode})`,
);
process.exitCode =
  worstRatio <= mostOfLowerBound && worstEvents <= mostEventsPerNode && proofs.every((proof) => lost(proof) === 0)
    ? 0
    : 1;

/** One run of the demo; its proof, whatever it shows. */
async function cross(): Promise<Proof> {
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-bench-'));
  try {
    const report = join(directory, 'proof.json');
    const demo = spawn(process.execPath, [join(projectRoot, 'lab', 'demo', 'main.ts'), '--report', report], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await once(demo, 'close');
    return JSON.parse(readFileSync(report, 'utf8')) as Proof;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function ratio(proof: Proof): number {
  return proof.makespanSeconds / (proof.lowerBoundSeconds ?? 0);
}

function events(proof: Proof): number {
  return proof.historyEventsPerNode ?? Number.POSITIVE_INFINITY;
}

function lost({ requests }: Proof): number {
  return requests.lost + requests.cut + requests.slow;
}
