import type { BrokenFlows } from '../contracts.ts';

/** These bits of a packet's mark are the number of the node that the packet goes to. */
export const NODE_BITS = 0xffff;

const EPOCH_SHIFT = 16;

/**
 * Which marks packets get that are passed through. A mark is the number of a node and, above that, how often the connections of one listener to this
 * node have been broken: those that were broken have another mark than those that came later, and so all of them can be told apart at once.
 */
export interface Steering {
  /** The mark of new connections of a listener to a node. */
  markOf(vip: string, port: number, ip: string): number;
  /** Gives later connections another mark. Returns the one before; undefined when none of this listener has gone to the node. */
  renew(flow: Omit<BrokenFlows, 'targetPort'>): number | undefined;
  /** Numbers of all nodes so far, by address. */
  readonly nodes: ReadonlyMap<string, number>;
}

/** No node has a number yet. Numbers are not used again: a connection may live longer than its node is a target. */
export function createSteering(): Steering {
  const nodes = new Map<string, number>();
  const epochs = new Map<string, number>();
  const keyOf = (vip: string, port: number, ip: string) => `${vip} ${port} ${ip}`;
  const markIn = (epoch: number, ip: string) => epoch * 2 ** EPOCH_SHIFT + (nodes.get(ip) ?? 0);
  return {
    nodes,
    markOf(vip, port, ip) {
      if (!nodes.has(ip)) nodes.set(ip, nodes.size + 1);
      const key = keyOf(vip, port, ip);
      const epoch = epochs.get(key) ?? 0;
      epochs.set(key, epoch);
      return markIn(epoch, ip);
    },
    renew({ vip, port, targetIp }) {
      const key = keyOf(vip, port, targetIp);
      const epoch = epochs.get(key);
      if (epoch === undefined) return undefined;
      epochs.set(key, epoch + 1);
      return markIn(epoch, targetIp);
    },
  };
}
