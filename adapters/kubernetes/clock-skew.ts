import type { NodeFacts } from '../../core/model/node.ts';
import type { PodFacts } from '../../core/model/pod.ts';

/** HTTP dates have whole seconds (RFC 9110, section 5.6.7): the response was written up to this much later than its date, ms. */
const dateResolutionMs = 1_000;

/** Knows how much our clock differs from the API server's. */
interface ClockSkew {
  /** Records a response: its `Date`, if any, and when the request was sent and answered by our own clock, epoch ms. */
  heard(date: string | undefined, sentAt: number, answeredAt: number): void;
  /** How far our clock is ahead of the API server's, ms. Negative when it is behind; 0 as long as nothing shows a difference. */
  aheadMs(): number;
}

/** Starts to measure. The newest response counts, because clocks are corrected while a worker runs. */
export function watchClockSkew(): ClockSkew {
  let ahead = 0;
  return {
    heard: (date, sentAt, answeredAt) => {
      const said = Date.parse(date ?? '');
      if (Number.isNaN(said)) return;
      // The server wrote the response between our two times, and within the second that the date names.
      const least = sentAt - said - dateResolutionMs;
      const most = answeredAt - said;
      const isRight = least <= 0 && most >= 0;
      ahead = isRight ? 0 : Math.round((least + most) / 2 / dateResolutionMs) * dateResolutionMs;
    },
    aheadMs: () => ahead,
  };
}

/** Converts the times that the API server wrote on a pod to our own clock, which they are compared with. */
export function podInOurTime(pod: PodFacts, aheadMs: number): PodFacts {
  const { killedAt, doNotDisrupt } = pod;
  if (aheadMs === 0) return pod;
  return {
    ...pod,
    ...(killedAt === undefined ? {} : { killedAt: killedAt + aheadMs }),
    ...(typeof doNotDisrupt === 'number' ? { doNotDisrupt: doNotDisrupt + aheadMs } : {}),
  };
}

/** The same for a node. */
export function nodeInOurTime(node: NodeFacts, aheadMs: number): NodeFacts {
  const { unknownSince } = node;
  return aheadMs === 0 || unknownSince === undefined ? node : { ...node, unknownSince: unknownSince + aheadMs };
}
