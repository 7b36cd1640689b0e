import { runChecks } from './testing/checks.ts';
import { runProject } from './testing/projects.ts';
import { failureOutput, outcomeTable } from './testing/summary.ts';

// Two lanes, for two cores: the unit tests take about as long as all the others together.
const [checks, unit] = await Promise.all([runChecks(), runProject('unit', 'kept')]);
const outcomes = [...checks, unit];
const failures = failureOutput(outcomes);
if (failures !== '') console.log(failures);
console.log(outcomeTable(outcomes));
process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1;
