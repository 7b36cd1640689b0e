import { NodeferryError } from '../../core/model/problem.ts';
import type { TemporalConnection } from '../connect.ts';
import { type Check, skipChecks } from './check.ts';
import { checkSchedules } from './schedules.ts';
import { checkSearchAttributes } from './search-attributes.ts';
import { checkNamespace, checkServer } from './server.ts';
import { checkStalledRuns } from './stalled-runs.ts';
import { checkWorkflows } from './stuck-workflows.ts';
import { explainFailure, patienceMs, withTimeLimit } from './time-limit.ts';
import { checkWorkers } from './workers.ts';

/** What the checks of Temporal have to know. */
interface TemporalQuestion {
  readonly taskQueue: string;
  /** Version of this command. */
  readonly version: string;
  /** Epoch ms. */
  readonly now: number;
}

/** What was found, and whether Temporal can be reached at all. */
interface TemporalChecks {
  readonly checks: readonly Check[];
  readonly isReachable: boolean;
}

/** What can't be asked without a connection or a namespace. */
const dependents = ['temporal.search-attributes', 'workers', 'runs', 'schedules'] as const;

/** Checks Temporal, workers, runs and schedules. Takes ten seconds at most. */
export async function checkTemporal(
  connecting: Promise<TemporalConnection>,
  question: TemporalQuestion,
): Promise<TemporalChecks> {
  return await withTimeLimit('Temporal', patienceMs, async (limit) => {
    let connection: TemporalConnection;
    let server: readonly Check[];
    try {
      connection = await limit.race('TemporalUnreachable', connecting);
      server = await limit.race('TemporalUnreachable', checkServer(connection));
    } catch (error) {
      const failed: Check = { id: 'temporal.server', state: 'failed', ...explainFailure(error) };
      const unknown = skipChecks(['temporal.namespace', ...dependents], 'Temporal cannot be used');
      const isReachable = error instanceof NodeferryError && error.problem.code !== 'TemporalUnreachable';
      return { checks: [failed, ...unknown], isReachable };
    }
    const namespace = await limit.check('temporal.namespace', async () => await checkNamespaceOf(connection));
    if (namespace.some(({ state }) => state === 'failed')) {
      const unknown = skipChecks(dependents, `there is no namespace ${connection.namespace}`);
      return { checks: [...server, ...namespace, ...unknown], isReachable: true };
    }
    const [attributes, ...others] = await Promise.all([
      limit.check('temporal.search-attributes', async () => await checkSearchAttributes(connection)),
      limit.check('workers', async () => await checkWorkers(connection, question)),
      limit.check('runs.workflow-tasks', async () => await checkWorkflows(connection)),
    ]);
    // Their queries name search attributes.
    const listed = attributes.some(({ state }) => state === 'failed')
      ? skipChecks(['runs.stalled', 'schedules'], 'search attributes are missing')
      : await Promise.all([
          limit.check('runs.stalled', async () => await checkStalledRuns(connection)),
          limit.check('schedules', async () => await checkSchedules(connection, question.now)),
        ]);
    return { checks: [...server, ...namespace, ...attributes, ...others.flat(), ...listed.flat()], isReachable: true };
  });
}

async function checkNamespaceOf(connection: TemporalConnection): Promise<readonly Check[]> {
  try {
    return await checkNamespace(connection);
  } catch (error) {
    if (!(error instanceof NodeferryError) || error.problem.code !== 'InvalidArgument') throw error;
    return [{ id: 'temporal.namespace', state: 'failed', ...explainFailure(error) }];
  }
}
