import { describe, expect, it } from 'vitest';
import { nodeInOurTime, podInOurTime, watchClockSkew } from '../../../adapters/kubernetes/clock-skew.ts';
import { isStuckTerminating } from '../../../core/eviction/stuck-terminating.ts';
import { explainUnstable } from '../../../core/guard/stability.ts';
import { aNode, anObservation, aPod, aPolicy } from '../../core/support/facts.ts';

const server = Date.UTC(2026, 0, 1, 12, 0, 0);

/** By how much our clock seems to be ahead when it is, for an answer that takes 100 ms and is written in the middle. */
function heard(aheadMs: number, at = server): number {
  const skew = watchClockSkew();
  skew.heard(new Date(at).toUTCString(), at - 50 + aheadMs, at + 50 + aheadMs);
  return skew.aheadMs();
}

describe('the clock of the API server', () => {
  it('is believed to be ours as far as whole seconds can tell', () => {
    for (const at of [server, server + 400, server + 999]) expect(heard(0, at)).toBe(0);
    const skew = watchClockSkew();
    skew.heard(undefined, server, server);
    skew.heard('yesterday', server, server);
    expect(skew.aheadMs()).toBe(0);
  });

  it('is known to differ by a second or so, either way, and to be right again', () => {
    for (const ahead of [90_000, -90_000, 5_000])
      expect(Math.abs(heard(ahead, server + 700) - ahead)).toBeLessThan(1_500);
    const skew = watchClockSkew();
    skew.heard(new Date(server).toUTCString(), server + 90_000, server + 90_100);
    skew.heard(new Date(server + 10_000).toUTCString(), server + 10_000, server + 10_100);
    expect(skew.aheadMs()).toBe(0);
  });
});

describe('a worker whose clock is 90 s ahead', () => {
  const now = server + 90_000;

  it('does not consider a pod in its grace period stuck', () => {
    const pod = aPod('web-1', 'n1', { terminating: true, killedAt: server + 5_000 });
    expect(isStuckTerminating(pod, now), 'by the times as they are written').toBe(true);
    expect(isStuckTerminating(podInOurTime(pod, heard(90_000)), now)).toBe(false);
    expect(isStuckTerminating(podInOurTime(pod, heard(90_000)), now + 70_000)).toBe(true);
  });

  it('sees that nodes have fallen silent together a moment ago', () => {
    const silent = ['n1', 'n2'].map((name) => aNode(name, { ready: false, unknownSince: server - 1_000 }));
    const ask = (nodes: typeof silent) => explainUnstable({ ...anObservation({ nodes }), observedAt: now }, aPolicy());
    expect(ask(silent), 'by the times as they are written').toBeUndefined();
    expect(ask(silent.map((node) => nodeInOurTime(node, heard(90_000))))).toContain('fell silent together');
  });

  it('keeps what has no time as it is', () => {
    const pod = aPod('web-1', 'n1', { doNotDisrupt: 'for-good' });
    expect(podInOurTime(pod, 90_000)).toEqual(pod);
    expect(podInOurTime({ ...pod, doNotDisrupt: server }, 90_000).doNotDisrupt).toBe(now);
    expect(nodeInOurTime(aNode('n1'), 90_000)).toEqual(aNode('n1'));
  });
});
