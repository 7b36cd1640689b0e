import { printable } from '../../core/text/printable.ts';

/** Why a text is not an iCalendar. */
export interface CalendarFault {
  /** Counted from 1. Undefined when the fault is not in one line. */
  readonly line: number | undefined;
  readonly reason: string;
}

/** Either the lines (counted from 1) on which the events of a calendar begin, in their order, or what is wrong with it. */
type CheckedLines =
  | { readonly ok: true; readonly eventLines: readonly number[] }
  | ({ readonly ok: false } & CalendarFault);

/** Checks that a text has the form of an iCalendar (RFC 5545, 3.1): lines with a name and a value, in components that begin and end. */
export function checkLines(text: string): CheckedLines {
  const open: string[] = [];
  const eventLines: number[] = [];
  const lines = text.split(/\r?\n/);
  for (const [index, content] of lines.entries()) {
    // A line that begins with a space continues the one before.
    if (content.trim() === '' || (open.length > 0 && /^[ \t]/.test(content))) continue;
    const found = `'${printable(content, 60)}'`;
    const fault = (reason: string): CheckedLines => ({ ok: false, line: index + 1, reason });
    const [, name, value = ''] = /^([A-Za-z0-9-]+)(?:;(?:[^":]|"[^"]*")*)?:(.*)$/.exec(content) ?? [];
    const component = value.trim().toUpperCase();
    if (open.length === 0 && !(name?.toUpperCase() === 'BEGIN' && component === 'VCALENDAR'))
      return fault(`it is no iCalendar: expected BEGIN:VCALENDAR, found ${found}`);
    if (name === undefined) return fault(`expected a name and a value with a colon between them, found ${found}`);
    if (name.toUpperCase() === 'BEGIN') {
      open.push(component);
      if (component === 'VEVENT') eventLines.push(index + 1);
    }
    if (name.toUpperCase() !== 'END') continue;
    const begun = open.pop();
    if (begun !== component) return fault(`expected END:${printable(begun ?? '', 60)}, found ${found}`);
  }
  const unfinished = open.at(-1);
  if (unfinished !== undefined)
    return { ok: false, line: lines.length, reason: `END:${printable(unfinished, 60)} is missing` };
  if (!/BEGIN/i.test(text)) return { ok: false, line: undefined, reason: 'it is empty' };
  return { ok: true, eventLines };
}
