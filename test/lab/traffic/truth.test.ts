import { describe, expect, it } from 'vitest';
import type { Incident, StreamCounts } from '../../../lab/traffic/prober.ts';
import { type Account, INCIDENTS_KEPT, openAccount } from '../../../lab/traffic/truth.ts';
import { tick } from './reports.ts';

describe('the account of traffic', () => {
  it('adds up the streams', () => {
    const account = openAccount();
    account.add(tick(500, { web: { sent: 50, ok: 49, inFlight: 1 }, api: { sent: 10, ok: 8, lost: 1, cut: 1 } }));
    expect(account.truth()).toMatchObject({ sent: 60, ok: 57, lost: 1, cut: 1, inFlight: 1, final: false, atMs: 500 });
    expect(account.truth().perStream['api']).toMatchObject({ kind: 'connect', sent: 10, lost: 1 });
  });

  it('keeps the first incidents and counts all of them, also those that the prober left off', () => {
    const account = openAccount();
    for (let n = 0; n < INCIDENTS_KEPT + 20; n++) account.add(incident(1_000 + n));
    account.add(tick(500, { web: { sent: 600, ok: 0, lost: 600 } }, { incidentsLeftOff: 80 }));
    const truth = account.truth();
    expect(truth.incidents).toHaveLength(INCIDENTS_KEPT);
    expect(truth.incidentCount).toBe(INCIDENTS_KEPT + 100);
    expect(truth).toMatchObject({ firstBadAt: 1_000, lastBadAt: 1_000 + INCIDENTS_KEPT + 19 });
  });

  it('tells when the first and the last bad request was sent, in whatever order they ended', () => {
    const account = openAccount();
    account.add(incident(3_000));
    account.add(incident(1_000));
    account.add(incident(2_000));
    expect(account.truth()).toMatchObject({ firstBadAt: 1_000, lastBadAt: 3_000 });
  });

  it('has no bad moment while nothing bad has happened', () => {
    const account = openAccount();
    account.add(tick(500, { web: { sent: 50, ok: 50 } }));
    expect(account.truth()).not.toHaveProperty('firstBadAt');
  });

  it('counts from zero on without what went before', () => {
    const account = openAccount();
    account.add(incident(-5_000));
    account.add(tick(500, { web: { sent: 50, ok: 39, lost: 1, inFlight: 10 } }, { incidentsLeftOff: 7, lateMs: 90 }));
    account.zero();
    account.add(tick(1_000, { web: { sent: 100, ok: 96, lost: 1, cut: 3, inFlight: 0 } }, { incidentsLeftOff: 7 }));
    const truth = account.truth();
    expect(truth).toMatchObject({ sent: 50, ok: 57, lost: 0, cut: 3, inFlight: 0, incidentCount: 0, sinceMs: 500 });
    expect(truth.lateMs).toBe(0);
    expect(truth).not.toHaveProperty('firstBadAt');
  });

  it('keeps the incidents that came after the tick from which it counts', () => {
    const account = openAccount();
    account.add(incident(-5_000));
    account.add(tick(500, { web: { sent: 50, ok: 49, lost: 1 } }));
    account.add(incident(-4_400));
    account.zero();
    account.add(tick(1_000, { web: { sent: 100, ok: 98, lost: 2 } }));
    expect(account.truth()).toMatchObject({ lost: 1, incidentCount: 1, firstBadAt: -4_400, lastBadAt: -4_400 });
  });

  it.each(['after', 'before'])('does not count what connected slowly before it counts and ended well %s', (when) => {
    const account = openAccount();
    account.add(tick(5_000, { web: { sent: 50, ok: 40, slow: 1, inFlight: 10 } }));
    const slow: Incident = { ...incident(3_000), result: 'ok', slow: true, connectMs: 1_020, endMs: 5_400 };
    if (when === 'before') account.add(slow);
    account.zero();
    if (when === 'after') account.add(slow);
    expect(account.truth()).toMatchObject({ slow: 0, incidentCount: 0 });
    account.add(tick(5_500, { web: { sent: 60, ok: 60, slow: 2 } }));
    expect(account.truth()).toMatchObject({ sent: 10, ok: 20, slow: 0, incidentCount: 0 });
    expect(account.truth()).not.toHaveProperty('lastBadAt');
    account.add(tick(6_000, { web: { sent: 70, ok: 70, slow: 3 } }));
    expect(account.truth().slow).toBe(1);
  });

  it.each([
    { what: 'was cut after it had connected slowly', result: 'cut' as const, connectMs: 1_020 },
    { what: 'was still connecting', result: 'ok' as const, connectMs: 2_020 },
  ])('counts what $what when it begins to count', ({ result, connectMs }) => {
    const account = openAccount();
    account.add(tick(5_000, { web: { sent: 50, ok: 49, inFlight: 1 } }));
    account.zero();
    account.add({ ...incident(3_000), result, slow: true, connectMs, endMs: 5_400 });
    account.add(tick(5_500, { web: { sent: 60, ok: 60, slow: 1 } }));
    expect(account.truth()).toMatchObject({ slow: 1, incidentCount: 1, lastBadAt: 3_000 });
  });

  it('is final with the summary', () => {
    const account = openAccount();
    account.add({ ...tick(500, { web: { sent: 5, ok: 5 } }), type: 'summary' });
    expect(account.truth().final).toBe(true);
  });
});

describe('clean traffic', () => {
  it('is traffic that was answered for long enough', () => {
    const account = openAccount();
    run(account, 0, 1_500, { ok: 50 });
    expect(account.cleanFor(2)).toBe(false);
    run(account, 1_500, 2_500, { ok: 50 });
    expect(account.cleanFor(2)).toBe(true);
  });

  it('is not clean until the last loss is far enough away', () => {
    const account = openAccount();
    run(account, 0, 1_000, { ok: 49, lost: 1 });
    run(account, 1_000, 2_500, { ok: 50 });
    expect(account.cleanFor(2)).toBe(false);
    run(account, 2_500, 3_500, { ok: 50 });
    expect(account.cleanFor(2)).toBe(true);
  });

  it('is not clean when requests are sent but neither answered nor lost yet', () => {
    const account = openAccount();
    run(account, 0, 4_000, { ok: 20 });
    expect(account.cleanFor(2)).toBe(false);
  });

  it('is not clean with slow connects', () => {
    const account = openAccount();
    run(account, 0, 4_000, { ok: 50, slow: 1 });
    expect(account.cleanFor(2)).toBe(false);
  });
});

/** Half-second ticks in which 50 requests are sent each time and end as told. */
function run(account: Account, fromMs: number, toMs: number, gained: Partial<StreamCounts>): void {
  const before = account.truth();
  const key = (name: 'ok' | 'lost' | 'slow', n: number) => before[name] + (gained[name] ?? 0) * n;
  for (let n = 1; fromMs + n * 500 <= toMs; n++) {
    const web = { sent: before.sent + 50 * n, ok: key('ok', n), lost: key('lost', n), slow: key('slow', n) };
    account.add(tick(fromMs + n * 500, { web }));
  }
}

function incident(atMs: number): Incident {
  return {
    type: 'incident',
    seq: atMs,
    stream: 'web',
    atMs,
    endMs: atMs + 5_000,
    url: 'http://10.0.200.1/',
    result: 'lost',
    slow: false,
    connectMs: 5_000,
    totalMs: 5_000,
    retransmits: 0,
    reused: false,
    retried: false,
  };
}
