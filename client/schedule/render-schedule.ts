import { formatLocal, formatWhen } from '../../core/schedule/describe-schedule.ts';
import type { ZoneRules } from '../../core/schedule/zone.ts';
import type { Tone } from '../../core/status/line.ts';
import { count, formatLongDuration } from '../../core/text/format.ts';
import type { Style } from '../output/style.ts';
import { formatRunTarget } from '../run-target.ts';
import { renderTable } from '../view/table.ts';
import { breakText } from '../view/wrap.ts';
import type { Launch } from './launches.ts';
import type { Openings } from './openings.ts';
import type { RunUnderWay, SeenSchedule } from './seen-schedule.ts';

/** When a view is drawn, and in which local time. */
interface ViewTime {
  /** Epoch ms. */
  readonly now: number;
  /** The rules of the schedule's time zone. */
  readonly zone: ZoneRules;
}

/** Draws a schedule: whether it is active, its windows and next openings, its last launches, and the upgrade that is under way. Pure. */
export function renderSchedule(schedule: SeenSchedule, time: ViewTime, style: Style): string[] {
  const { openings, launches, run, note, paused, missed, skipped } = schedule;
  const name = formatRunTarget(schedule);
  return [
    headline(schedule, style),
    ...section(paused ? 'why' : 'note', note === undefined ? [] : [note], style),
    ...renderOpenings(openings, time, style),
    ...section('launches', renderLaunches(launches, time), style),
    ...section('missed', missed === 0 ? [] : [`${count(missed, 'opening')}, because Temporal was down`], style),
    ...section('skipped', skipped === 0 ? [] : [`${count(skipped, 'opening')}, because a launch was running`], style),
    ...section('run', run === undefined ? ['none is under way'] : [describeRun(run, name)], style),
    ...(paused ? section('then', [`nodeferry schedule resume ${name} --reason <why>`], style) : []),
  ];
}

/** Draws when a pool may be upgraded. */
export function renderOpenings(openings: Openings, { now, zone }: ViewTime, style: Style): string[] {
  const { windows, state, next, freezes, calendars, unreadCalendars, irregular } = openings;
  const lines = next.map(
    ({ opensAt, closesAt }) => `${formatWhen(opensAt, now, zone)}, for ${formatLongDuration(closesAt - opensAt)}`,
  );
  const unread = new Set(unreadCalendars.map(({ calendar }) => calendar));
  const sources = calendars.map((one) =>
    unread.has(one) ? `${one} (not read: the openings do not consider it)` : one,
  );
  return [
    ...section('windows', windows, style),
    ...section('now', [state], style),
    ...section('next', lines, style),
    ...section('freezes', firstOf(freezes), style),
    ...section('calendars', sources, style),
    ...section('irregular', irregular, style, 'warn'),
  ];
}

/** A calendar may have hundreds of events. */
const maxFreezes = 5;

function firstOf(freezes: readonly string[]): readonly string[] {
  if (freezes.length <= maxFreezes) return freezes;
  return [...freezes.slice(0, maxFreezes), `and ${freezes.length - maxFreezes} more`];
}

/** Draws one line for each schedule. Each has a time zone of its own. */
export function renderSchedules(schedules: readonly SeenSchedule[], style: Style): string[] {
  const rows = schedules.map((schedule) => {
    const { openings, launches, run } = schedule;
    const [last] = launches;
    return [
      formatRunTarget(schedule),
      stateOf(schedule),
      shorten(openings),
      openings.state,
      last === undefined ? 'none' : endOf(last),
      run === undefined ? '' : phaseOf(run),
    ];
  });
  return renderTable([['POOL', 'STATE', 'WINDOWS', 'NOW', 'LAST LAUNCH', 'RUN'], ...rows], style.width);
}

/** All windows on one line, with the time zone once. */
function shorten({ windows, timeZone }: Openings): string {
  return `${windows.map((window) => window.replace(` ${timeZone}`, '')).join('; ')} ${timeZone}`;
}

/** Warnings about when a pool may be upgraded. */
export function warnAbout({ next, isOpen, unreadCalendars }: Openings): readonly string[] {
  const unread = unreadCalendars.map(
    ({ reason }) => `${reason} While the worker can't read it either, no upgrade replaces nodes.`,
  );
  if (next.length > 0 || isOpen) return unread;
  return [
    'no window opens within 400 days, so the schedule would upgrade nothing: check windows and freezes',
    ...unread,
  ];
}

const labelWidth = 12;

function section(label: string, lines: readonly string[], style: Style, tone?: Tone): string[] {
  return lines.flatMap((line, index) => {
    const labelled = (index === 0 ? label : '').padEnd(labelWidth) + line;
    const fitted = style.width === undefined ? [labelled] : breakText(labelled, style.width, ' '.repeat(labelWidth));
    return tone === undefined ? fitted : fitted.map((one) => style.paint(tone, one));
  });
}

function headline(schedule: SeenSchedule, style: Style): string {
  const { newPool, version, paused } = schedule;
  return [
    style.paint('strong', formatRunTarget(schedule)),
    style.paint(paused ? 'warn' : 'good', stateOf(schedule)),
    `→ ${newPool}${version === undefined ? '' : ` (${version})`}`,
  ].join('   ');
}

function stateOf({ paused }: SeenSchedule): string {
  return paused ? 'paused' : 'active';
}

function renderLaunches(launches: readonly Launch[], { zone }: ViewTime): readonly string[] {
  if (launches.length === 0) return ['none yet'];
  return launches.map((launch) => `${formatLocal(zone.toLocal(launch.at))} ${endOf(launch)}`);
}

const ends = {
  running: 'running',
  started: 'upgraded',
  skipped: 'nothing to start',
  failed: 'failed',
  cancelled: 'cancelled',
  terminated: 'terminated',
  'timed-out': 'timed out',
  unknown: 'ended',
} as const satisfies Record<Launch['outcome'], string>;

function endOf({ outcome, detail }: Launch): string {
  return detail === '' ? ends[outcome] : `${ends[outcome]}: ${detail}`;
}

function phaseOf({ phase, isStalled }: RunUnderWay): string {
  return `${phase ?? 'starting'}${isStalled ? ', stalled' : ''}`;
}

function describeRun(run: RunUnderWay, name: string): string {
  return `under way: ${phaseOf(run)} (nodeferry status ${name})`;
}
