/**
 * Takes the pictures of the README and of the docs: `npm run pictures`. A run of the simulator, on a real Temporal server, stands still half way, and is
 * seen in the terminal and in the web UI. With `--demo FILE` also the report of a demo (`npm run demo -- --html FILE`). With `--orders FILE FILE`, the reports of
 * `npm run demo -- --report FILE` and of the same with `--naive` become docs/measurements/orders.json, from which `npm run gen` draws both. Check them, and commit them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { styleFor } from '../../client/output/style.ts';
import type { SeenRun } from '../../client/view/seen-run.ts';
import { renderTree } from '../../client/view/tree.ts';
import { measureOrders } from '../../demo/measured-orders.ts';
import type { DemoReport } from '../../demo/report.ts';
import { measurementsOfOrders } from '../../scripts/generate/schemas.ts';
import { projectRoot } from '../../scripts/setup/sources.ts';
import { runCommandLine } from '../support/command-line.ts';
import { drawTerminal } from './ansi-svg.ts';
import { holdRunHalfWay, type SimulatedRun } from './simulated-run.ts';

const pictures = join(projectRoot, 'docs', 'pictures');
/** Debian's package `chromium`, unless CHROMIUM names another one. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const { values, positionals } = parseArgs({
  options: { demo: { type: 'string' }, orders: { type: 'boolean' } },
  allowPositionals: true,
});
const { demo } = values;
if (values.orders === true) keepOrders(positionals);

if (!existsSync(executablePath)) {
  console.error(`There is no Chromium at ${executablePath}: install it (apt-get install chromium), or set CHROMIUM.`);
  process.exit(1);
}
mkdirSync(pictures, { recursive: true });
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
const run = await holdRunHalfWay();
try {
  await takeTerminal(run);
  await takeWebUi(browser, run);
  if (demo !== undefined) await takeReport(browser, resolve(demo));
} finally {
  await browser.close();
  await run.close();
}

function keepOrders([nodeferry = '', usual = '']: readonly string[]): void {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as DemoReport;
  const measured = measureOrders(read(nodeferry), read(usual));
  mkdirSync(dirname(measurementsOfOrders), { recursive: true });
  writeFileSync(measurementsOfOrders, `${JSON.stringify(measured, undefined, 2)}\n`);
}

/** The status that the command line reads, as it draws it in a terminal of 100 columns. */
async function takeTerminal({ address, cluster }: SimulatedRun): Promise<void> {
  const args = ['status', `${cluster}/web`, '-o', 'json'];
  const { stdout, stderr, code } = await runCommandLine(args, { input: '', env: { TEMPORAL_ADDRESS: address } });
  if (code !== 0) throw new Error(stderr);
  const terminal = { isTTY: true, columns: 100 } as NodeJS.WriteStream;
  const style = styleFor(terminal, { FORCE_COLOR: '1', LANG: 'C.UTF-8' });
  const lines = renderTree(JSON.parse(stdout) as SeenRun, Date.now(), style);
  writeFileSync(join(pictures, 'status.svg'), drawTerminal(`nodeferry status ${cluster}/web`, lines));
}

/** The list of runs, and the page of the run with its live details and its timeline. */
async function takeWebUi(at: Browser, { uiUrl, workflowId, runId }: SimulatedRun): Promise<void> {
  const page = await at.newPage({ viewport: { width: 1440, height: 760 } });
  const workflows = `${uiUrl}/namespaces/default/workflows`;
  const ofRun = `${workflows}/${encodeURIComponent(workflowId)}/${runId}`;
  const query = encodeURIComponent('WorkflowType IN ("poolUpgrade", "nodeReplacement")');
  await page.goto(uiUrl);
  await page.evaluate(columnsOfTheDocs());
  await page.goto(`${workflows}?query=${query}&savedQuery=${encodeURIComponent('runs and nodes')}`);
  await page.getByText(workflowId, { exact: true }).first().waitFor();
  await page.getByText('NodeferryStalled').filter({ visible: true }).first().waitFor();
  await page.screenshot({ path: join(pictures, 'web-ui-list.png') });
  await page.setViewportSize({ width: 1440, height: 1100 });
  await page.goto(`${ofRun}/user-metadata`);
  await page.frameLocator('iframe').last().getByText('nodes replaced').first().waitFor();
  await page.screenshot({ path: join(pictures, 'web-ui-run.png') });
  await page.goto(`${ofRun}/timeline`);
  await page.getByText('exclude nodes').first().waitFor();
  const heading = await page.getByRole('heading', { name: 'Timeline' }).boundingBox();
  if (heading === null) throw new Error('the page has no timeline');
  const clip = { x: heading.x - 20, y: heading.y - 20, width: 1440 - heading.x, height: 1100 - heading.y };
  await page.screenshot({ path: join(pictures, 'web-ui-timeline.png'), clip });
  await page.close();
}

/** The script that docs/web-ui.md offers to set the columns of the list. */
function columnsOfTheDocs(): string {
  const page = readFileSync(join(projectRoot, 'docs', 'web-ui.md'), 'utf8');
  const [, script] = /^```js\n([^`]+)```$/m.exec(page) ?? [];
  if (script === undefined) throw new Error('docs/web-ui.md has no script');
  return script;
}

/** The top of the page, to the end of the timeline. */
async function takeReport(at: Browser, file: string): Promise<void> {
  const page = await at.newPage({ viewport: { width: 1000, height: 700 } });
  await page.goto(`file://${file}`);
  const next = await page.getByText('Where the time of the nodes went').boundingBox();
  if (next === null) throw new Error('the report has no timeline');
  const clip = { x: 0, y: 0, width: 1000, height: Math.floor(next.y) };
  await page.screenshot({ path: join(pictures, 'report.png'), fullPage: true, clip });
  await page.close();
}
