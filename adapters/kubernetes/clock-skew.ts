import type { NodeFacts } from '../../core/model/node.ts';
import type { PodFacts } from '../../core/model/pod.ts';

/** HTTP dates have whole seconds (RFC 9110, section 5.6.7): the answer was written up to this much after what it says, ms. */
const dateResolutionMs = 1_000;

/** Knows by how much this machine's clock differs from the API server's. */
interface ClockSkew {
  /** An answer with that `Date`, if it had one, to a request sent and answered at these times of our own clock, epoch ms. */
  heard(date: string | undefined, sentAt: number, answeredAt: number): void;
  /** So much our clock is ahead of the API server's, ms; negative when it is behind, 0 as long as nothing says that it is not right. */
  aheadMs(): number;
}

/** Starts to listen. The newest answer counts: clocks are set right while a worker runs. */
export function watchClockSkew(): ClockSkew {
  let ahead = 0;
  return {
    heard: (date, sentAt, answeredAt) => {
      const said = Date.parse(date ?? '');
      if (Number.isNaN(said)) return;
      // The server wrote the answer between our two times, and in the second that the date names.
      const least = sentAt - said - dateResolutionMs;
      const most = answeredAt - said;
      const isRight = least <= 0 && most >= 0;
      ahead = isRight ? 0 : Math.round((least + most) / 2 / dateResolutionMs) * dateResolutionMs;
    },
    aheadMs: () => ahead,
  };
}

/** Times that the API server has written on a pod, by our own clock: that is what they are compared with. */
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
