import { ensureTools } from './setup/ensure.ts';
import { SetupError } from './setup/errors.ts';
import type { ToolName } from './setup/tool.ts';
import { runChecks } from './testing/checks.ts';
import { labObstacle } from './testing/lab-ability.ts';
import { describeMachine } from './testing/machine.ts';
import {
  besideProjects,
  countTests,
  everydayProjects,
  labProjects,
  type Outcome,
  type ProjectName,
  projectNames,
  runProject,
  temporalProjects,
} from './testing/projects.ts';
import { closingLine, failureOutput, outcomeTable, totalCounts } from './testing/summary.ts';
import { recallUnsteady, rememberUnsteady, unsteadyFile, unsteadyOutput } from './testing/unsteady.ts';

// npm test              everything but the matrix
// npm test -- unit      only the named projects, without types, lint and format
// npm run matrix        every disturbance at every step of an upgrade, in the lab and in virtual time, and 20,000 random clusters
const chosen = projectNames.filter((name) => process.argv.includes(name));
const projects = chosen.length > 0 ? chosen : everydayProjects;
const needsLab = (project: ProjectName) => labProjects.includes(project);
const obstacle = labObstacle();
const memory = unsteadyFile();
const lastTime = recallUnsteady(memory);
console.log([await describeMachine(), ...(lastTime === '' ? [] : [lastTime])].join('\n'));
const outcomes = [...(await prepare()), ...(await runAll())];

const failures = failureOutput(outcomes);
if (failures !== '') console.log(`\n${failures}`);
console.log(`\n${outcomeTable(outcomes)}\n`);
if (obstacle !== undefined && projects.some(needsLab)) announceSkipped(obstacle);
remember(outcomes);
const unsteady = unsteadyOutput(
  outcomes.flatMap((outcome) => outcome.unsteady ?? []),
  memory,
);
if (unsteady !== '') console.log(unsteady);
const counts = totalCounts(outcomes);
console.log(closingLine(counts));
process.exitCode = outcomes.every(({ ok }) => ok) && counts.passed > 0 ? 0 : 1;

/** Sets up what the selected projects need; a failure is reported like any other outcome. */
async function prepare(): Promise<Outcome[]> {
  const startedMs = performance.now();
  try {
    await ensureTools({ need: neededTools() });
    return [];
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const counts = { passed: 0, failed: 1, skipped: 0 };
    return [
      { name: 'setup', ok: false, counts, seconds: (performance.now() - startedMs) / 1000, output: error.message },
    ];
  }
}

function neededTools(): ToolName[] {
  const controllers: ToolName[] = projects.includes('google-controllers') ? ['google-controllers'] : [];
  const labRuns = projects.some(needsLab) && obstacle === undefined;
  const onTemporal = projects.some((project) => temporalProjects.includes(project));
  if (!labRuns && !onTemporal && controllers.length === 0) return [];
  // The workflow project has contract tests against a real API server, and tests that install the kubectl plugin and sign in to the web UI: none needs root or packages.
  const packages: ToolName[] = labRuns ? ['packages'] : [];
  return ['temporal', 'agents', 'kubernetes', 'krew', 'oauth2-proxy', ...packages, ...controllers];
}

async function runAll(): Promise<Outcome[]> {
  const done: Outcome[] = [];
  if (chosen.length === 0) {
    console.log('types, lint, format');
    done.push(...(await runChecks()));
  }
  const beside = projects.filter((project) => besideProjects.includes(project));
  const working = Promise.all(beside.map(async (project) => await runProject(project, 'kept')));
  for (const project of projects) if (!beside.includes(project)) done.push(await runOne(project));
  if (beside.length > 0) console.log(`\n${beside.join(', ')}: run in parallel with the others`);
  return [...done, ...(await working)];
}

function remember(ended: readonly Outcome[]): void {
  const at = new Date().toISOString();
  for (const { name, unsteady: tests } of ended) {
    if (tests !== undefined) rememberUnsteady(memory, name, { at, folder: process.cwd(), tests });
  }
}

async function runOne(project: ProjectName): Promise<Outcome> {
  if (!needsLab(project) || obstacle === undefined) return runProject(project, 'shown');
  announceSkipped(obstacle);
  const counts = { passed: 0, failed: 0, skipped: await countTests(project) };
  return { name: project, ok: true, counts, seconds: 0, output: '' };
}

function announceSkipped(why: string): void {
  const line = '!'.repeat(100);
  console.log(
    `\n${line}\n!!! THE END-TO-END TESTS WERE NOT RUN. ${why}\n!!! This run shows nothing about live traffic.\n${line}\n`,
  );
}
