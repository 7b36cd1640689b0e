import { setTimeout as delay } from 'node:timers/promises';
import { type LearnedTimes, learnTimes } from '../../core/schedule/needed-time.ts';
import { fieldsOf, isNumber, isText, listOf } from '../../core/status/read-plain.ts';
import type { Timings } from '../../ports/timings.ts';
import type { Connection } from './connection.ts';
import { answerError } from './errors.ts';
import type { OwnNamespace } from './own-namespace.ts';

/** The ConfigMap in nodeferry's own namespace. */
const name = 'nodeferry-timings';

/** Its key: JSON of `Kept`. */
const dataKey = 'timings.json';

/** How many runs are remembered, so that a repeated call adds nothing. */
const maxRuns = 50;

const attempts = 10;

/** What the ConfigMap holds. */
interface Kept {
  readonly durationsMs: LearnedTimes;
  /** Runs whose durations are among these, the latest last. */
  readonly runs: readonly string[];
}

/** What is used of a ConfigMap, as JSON. */
interface ConfigMapObject {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Learned durations in a ConfigMap. Every write carries the resourceVersion that it is based on. A worker that may not read or write
 * ConfigMaps works without: the estimates of the plan apply then.
 */
export function configMapTimings(connection: Connection, namespace: OwnNamespace): Timings {
  async function read(): Promise<{ readonly found: ConfigMapObject | undefined; readonly isAllowed: boolean }> {
    const answer = await connection.request({
      resource: 'configMaps',
      verb: 'get',
      namespace: await namespace(),
      name,
    });
    if (answer.status === 403) return { found: undefined, isAllowed: false };
    if (answer.status === 404) return { found: undefined, isAllowed: true };
    if (answer.status !== 200) throw answerError(answer, { resource: 'configMaps', verb: 'get' });
    return { found: answer.body as ConfigMapObject, isAllowed: true };
  }

  /** Returns false when somebody else has written meanwhile. */
  async function write(found: ConfigMapObject | undefined, kept: Kept): Promise<boolean> {
    const resourceVersion = found?.metadata?.resourceVersion;
    const metadata = { ...found?.metadata, name };
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: { ...found?.data, [dataKey]: JSON.stringify(kept) },
    };
    const where = { resource: 'configMaps', namespace: await namespace(), body } as const;
    const verb = resourceVersion === undefined ? 'create' : 'update';
    const answer =
      verb === 'create'
        ? await connection.request({ ...where, verb })
        : await connection.request({ ...where, verb, name });
    if (answer.status === 409 || (verb === 'update' && answer.status === 404)) return false;
    if (answer.status === 403) return true;
    if (answer.status !== 200 && answer.status !== 201) throw answerError(answer, { resource: 'configMaps', verb });
    return true;
  }

  return {
    read: async () => keptIn((await read()).found).durationsMs,
    record: async (run, added) => {
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const { found, isAllowed } = await read();
        const { durationsMs, runs } = keptIn(found);
        if (!isAllowed || runs.includes(run)) return;
        const kept = { durationsMs: learnTimes(durationsMs, added), runs: [...runs, run].slice(-maxRuns) };
        if (await write(found, kept)) return;
        await delay(20 * 2 ** attempt);
      }
    },
  };
}

/** What a ConfigMap holds; nothing if somebody has written something else into it. */
function keptIn(found: ConfigMapObject | undefined): Kept {
  const fields = fieldsOf(parse(found?.data?.[dataKey] ?? '{}'));
  const durations = Object.entries(fieldsOf(fields['durationsMs'])).flatMap(([kind, list]) => {
    const numbers = listOf(list, isNumber);
    return numbers === undefined ? [] : [[kind, numbers] as const];
  });
  return { durationsMs: Object.fromEntries(durations), runs: listOf(fields['runs'], isText) ?? [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
