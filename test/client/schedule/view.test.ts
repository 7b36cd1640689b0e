import { describe, expect, test } from 'vitest';
import { plainStyle } from '../../../client/output/style.ts';
import { renderSchedule, renderSchedules, warnAbout } from '../../../client/schedule/render-schedule.ts';
import { aSchedule, aScheduledPolicy, berlin, now, openingsOf } from './fixture.ts';

const hourMs = 3_600_000;

/** A schedule that Temporal has paused because an upgrade was aborted, beside another upgrade that is stalled. */
const failed = aSchedule({
  paused: true,
  note: 'paused due to workflow failure: window-launcher/prod/web-2026-11-24T21:00:00Z: the upgrade was aborted by ann: errors',
  launches: [
    { at: now - 12 * hourMs, workflowId: 'b', outcome: 'failed', detail: 'the upgrade was aborted by ann: errors' },
    {
      at: now - 36 * hourMs,
      workflowId: 'a',
      outcome: 'skipped',
      detail: 'an upgrade of the pool is under way already',
    },
  ],
  run: { workflowId: 'pool-upgrade/prod/web', phase: 'replace', isStalled: true },
  missed: 1,
  skipped: 2,
});

const next = `now         opens Wed 22:00 (in 12h)
next        Wed 22:00 (in 12h), for 6h
            Thu 22:00 (in 1d 12h), for 6h
            Mon 22:00 (in 5d 12h), for 6h
            Tue 2026-12-01 22:00 (in 6d 12h), for 6h
            Wed 2026-12-02 22:00 (in 7d 12h), for 6h
freezes     Christmas: 2026-12-18 00:00 to 2027-01-07 00:00`;

describe('the view of a schedule', () => {
  test('shows windows, openings, freezes and calendars on 160 columns', () => {
    expect(renderSchedule(aSchedule(), berlin, { ...plainStyle, width: 160 }).join('\n')).toBe(
      `prod/web   active   → web-1-36 (1.36)
note        created by ann: CVE-2026-1234
windows     Mon-Thu 22:00-04:00 Europe/Berlin
            first Sat 02:30-05:00 Europe/Berlin
${next}
calendars   https://calendar.example/releases.ics (not read: the openings do not consider it)
launches    none yet
run         none is under way`,
    );
  });

  test('shows why it is paused, how launches ended, and what to do, on 80 columns', () => {
    expect(renderSchedule(failed, berlin, { ...plainStyle, width: 80 }).join('\n')).toBe(
      `prod/web   paused   → web-1-36 (1.36)
why         paused due to workflow failure:
            window-launcher/prod/web-2026-11-24T21:00:00Z: the upgrade was
            aborted by ann: errors
windows     Mon-Thu 22:00-04:00 Europe/Berlin
            first Sat 02:30-05:00 Europe/Berlin
${next}
calendars   https://calendar.example/releases.ics (not read: the openings do not
            consider it)
launches    2026-11-24 22:00 failed: the upgrade was aborted by ann: errors
            2026-11-23 22:00 nothing to start: an upgrade of the pool is under
            way already
missed      1 opening, because Temporal was down
skipped     2 openings, because a launch was running
run         under way: replace, stalled (nodeferry status prod/web)
then        nodeferry schedule resume prod/web --reason <why>`,
    );
  });

  test('names the days on which a clock change moves a window', () => {
    const policy = aScheduledPolicy(`
    timeZone: Europe/Berlin
    windows: [{days: [Sun], start: "02:30", end: "05:00"}]`);

    const view = renderSchedule(aSchedule({ openings: openingsOf(policy) }), berlin, plainStyle);

    expect(view).toContain(
      'irregular   2027-03-28 02:30 does not exist in Europe/Berlin: the window opens at 03:00 that day',
    );
  });

  test('says that a window is open, and shows the openings after it', () => {
    const at = now + 13 * hourMs;
    const openings = openingsOf(aScheduledPolicy(), at);

    const view = renderSchedule(aSchedule({ openings }), { ...berlin, now: at }, plainStyle);

    expect(view).toContain('now         open until Thu 04:00 (in 5h)');
    expect(view).toContain('next        Thu 22:00 (in 23h), for 6h');
  });

  test('shows the next freezes and counts the others', () => {
    const dates = ['2026-11-01', '2027-08-01', ...Array.from({ length: 6 }, (_, index) => `2027-0${index + 1}-01`)];
    const policy = aScheduledPolicy(`
    timeZone: Europe/Berlin
    windows: [{days: [Sun], start: "02:30", end: "05:00"}]
    freezes: [${dates.map((date) => `{name: "on ${date}", from: ${date}, to: ${date}}`).join(', ')}]`);

    const view = renderSchedule(aSchedule({ openings: openingsOf(policy) }), berlin, plainStyle).join('\n');

    expect(view).toContain('freezes     on 2027-01-01: 2027-01-01 00:00 to 2027-01-02 00:00\n');
    expect(view).toContain('on 2027-05-01: 2027-05-01 00:00 to 2027-05-02 00:00\n            and 2 more\n');
    expect(view).not.toContain('2026-11-01');
  });

  test('warns of a calendar that could not be read', () => {
    expect(warnAbout(openingsOf(aScheduledPolicy()))).toEqual([expect.stringMatching(/^no answer\. While the worker/)]);
  });

  test('warns when no window opens within 400 days', () => {
    const policy = aScheduledPolicy(`
    timeZone: Europe/Berlin
    windows: [{days: [Sun], start: "02:30", end: "05:00"}]
    freezes: [{name: for good, from: 2026-01-01, to: 2030-01-01}]`);

    const openings = openingsOf(policy);

    expect(openings).toMatchObject({ isOpen: false, next: [] });
    expect(openings.state).toContain('no window opens within 400 days');
    expect(warnAbout(openings)).toEqual([expect.stringContaining('no window opens within 400 days')]);
  });

  test('finds openings that are months away', () => {
    const policy = aScheduledPolicy(`
    timeZone: Europe/Berlin
    windows: [{days: [Sun], start: "02:30", end: "05:00"}]
    freezes: [{name: long, from: 2026-11-01, to: 2027-10-02}]`);

    expect(openingsOf(policy).next.map(({ opensAt }) => new Date(opensAt).toISOString().slice(0, 10))).toEqual([
      '2027-10-03',
      '2027-10-10',
      '2027-10-17',
      '2027-10-24',
      '2027-10-31',
    ]);
  });
});

describe('the list of schedules', () => {
  test('has a line for each on 160 columns', () => {
    expect(renderSchedules([aSchedule(), { ...failed, pool: 'batch' }], { ...plainStyle, width: 160 }).join('\n')).toBe(
      `POOL         STATE    WINDOWS                                        NOW                        LAST LAUNCH                                    RUN
prod/web     active   Mon-Thu 22:00-04:00; first Sat 02:30-05:00     opens Wed 22:00 (in 12h)   none
                      Europe/Berlin
prod/batch   paused   Mon-Thu 22:00-04:00; first Sat 02:30-05:00     opens Wed 22:00 (in 12h)   failed: the upgrade was aborted by ann:        replace, stalled
                      Europe/Berlin                                                             errors`,
    );
  });

  test('breaks cells on 80 columns', () => {
    expect(renderSchedules([failed], { ...plainStyle, width: 80 }).join('\n')).toBe(
      `POOL       STATE    WINDOWS         NOW            LAST LAUNCH    RUN
prod/web   paused   Mon-Thu         opens Wed      failed: the    replace,
                    22:00-04:00;    22:00 (in      upgrade was    stalled
                    first Sat       12h)           aborted by
                    02:30-05:00                    ann: errors
                    Europe/Berlin`,
    );
  });
});
