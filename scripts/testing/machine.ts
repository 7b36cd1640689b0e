import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Processor time that a process has used since it started, in hundredths of a second. */
interface ProcessorUse {
  readonly name: string;
  readonly ticks: number;
}

/** What a process has used within a period. */
interface BusyProcess {
  readonly name: string;
  readonly percent: number;
}

/** How long the machine is observed. */
const observationMs = 1_000;

/** Linux reports processor time in hundredths of a second (proc(5), `_SC_CLK_TCK`). */
const tickMs = 10;

/** Below this share of one processor, %, a process does not slow others down. */
const busyPercent = 5;

/** Maximum number of processes that are named. */
const maxNamed = 5;

/** Observes the machine for a second and describes it in one line: its processors, and what else keeps them busy. */
export async function describeMachine(): Promise<string> {
  const before = processorUses();
  await delay(observationMs);
  const busy = busiest(before, processorUses(), observationMs).map(({ name, percent }) => `${name} ${percent} %`);
  const load = loadavg().map((average) => average.toFixed(1));
  const beside = busy.length === 0 ? 'nothing else runs' : `busy with ${busy.join(', ')}`;
  return `machine: ${availableParallelism()} processors, load average ${load.join(' ')}; ${beside}`;
}

/** The processes that used most between two observations; `ms` passed between them. */
export function busiest(
  before: ReadonlyMap<string, ProcessorUse>,
  after: ReadonlyMap<string, ProcessorUse>,
  ms: number,
): readonly BusyProcess[] {
  return [...after]
    .map(([id, { name, ticks }]) => {
      const used = (ticks - (before.get(id)?.ticks ?? ticks)) * tickMs;
      return { name, percent: Math.round((used / ms) * 100) };
    })
    .filter(({ percent }) => percent >= busyPercent)
    .sort((a, b) => b.percent - a.percent)
    .slice(0, maxNamed);
}

/** All processes except this one, by process ID; none when there is no /proc. */
function processorUses(): ReadonlyMap<string, ProcessorUse> {
  const uses = new Map<string, ProcessorUse>();
  for (const id of numbersIn('/proc')) {
    if (id === String(process.pid)) continue;
    const use = processorUse(id);
    if (use !== undefined) uses.set(id, use);
  }
  return uses;
}

function numbersIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function processorUse(id: string): ProcessorUse | undefined {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The name is in parentheses and may contain anything; user and system time are the 14th and 15th field (proc_pid_stat(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { name: nameOfProcess(readFileSync(`/proc/${id}/cmdline`, 'utf8'), stat), ticks };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** Options of Node whose value is a script that is loaded before the main one. */
const loadsBefore: ReadonlySet<string> = new Set(['--require', '-r', '--import', '--loader']);

function isScript(arg: string): boolean {
  return /\.([cm]?[jt]s|py|sh)$/.test(arg);
}

/** The program, and the script that it runs. Other arguments are left out: they may be long, or confidential. */
function nameOfProcess(commandLine: string, stat: string): string {
  const [program = '', ...args] = commandLine.split('\0');
  const script = args.find((arg, index) => isScript(arg) && !loadsBefore.has(args[index - 1] ?? ''));
  const name = program === '' ? stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')) : basename(program);
  return script === undefined ? name : `${name} ${basename(script)}`;
}
