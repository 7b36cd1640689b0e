import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { balancersScenarios, type MeasuredBalancers } from '../../bench/balancers/measured.ts';
import { renderBalancersPage } from '../../bench/balancers/page.ts';
import { auditReportJsonSchema } from '../../client/audit/audit-report-schema.ts';
import { runEventJsonSchema } from '../../client/events/run-event-schema.ts';
import { runReportJsonSchema } from '../../client/report/run-report-schema.ts';
import { watchLineJsonSchema } from '../../client/watch-line-schema.ts';
import { rules } from '../../core/audit/rules.ts';
import { metrics } from '../../core/status/metrics.ts';
import { stepLists } from '../../core/steps/steps.ts';
import type { MeasuredOrders } from '../../demo/measured-orders.ts';
import { editorJsonSchema } from '../../policy-file/json-schemas.ts';
import { projectRoot } from '../setup/sources.ts';
import { auditDoc } from './audit-doc.ts';
import { drawBenchPicture } from './bench-picture.ts';
import { metricsDoc } from './metrics-doc.ts';
import { drawOrdersPicture } from './orders-picture.ts';
import { policyDoc } from './policy-doc.ts';
import { referenceDoc } from './reference-doc.ts';
import { stepsDoc } from './steps-doc.ts';

/** What a picture shows of two upgrades of the demo; see demo/measured-orders.ts. */
export const measurementsOfOrders = join(projectRoot, 'docs', 'measurements', 'orders.json');

/** Files that are generated: path in the project, and content. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['schemas/pool-upgrade.schema.json', `${JSON.stringify(editorJsonSchema(), undefined, 2)}\n`],
    ['schemas/run-report.schema.json', `${JSON.stringify(runReportJsonSchema(), undefined, 2)}\n`],
    ['schemas/run-event.schema.json', `${JSON.stringify(runEventJsonSchema(), undefined, 2)}\n`],
    ['schemas/watch-line.schema.json', `${JSON.stringify(watchLineJsonSchema(), undefined, 2)}\n`],
    ['schemas/audit-report.schema.json', `${JSON.stringify(auditReportJsonSchema(), undefined, 2)}\n`],
    ['docs/policy.md', policyDoc()],
    ['docs/audit.md', auditDoc(rules)],
    ['docs/steps.md', stepsDoc(stepLists)],
    ['docs/metrics.md', metricsDoc(metrics)],
    ['docs/reference.md', referenceDoc()],
    ['docs/load-balancers.md', renderBalancersPage(balancersScenarios.map(readBalancers))],
    [
      'docs/pictures/timeline.svg',
      drawOrdersPicture(JSON.parse(readFileSync(measurementsOfOrders, 'utf8')) as MeasuredOrders),
    ],
    ['docs/pictures/orders.svg', drawBenchPicture(readFileSync(join(projectRoot, 'docs', 'performance.md'), 'utf8'))],
  ]);
}

/** What was measured in a scenario of the lab; see bench/balancers/measured.ts. */
function readBalancers(scenario: (typeof balancersScenarios)[number]): MeasuredBalancers {
  const file = join(projectRoot, 'docs', 'measurements', `${scenario}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as MeasuredBalancers;
}
