import { chooseAddress, readAddress } from './addresses.ts';
import type { Kind } from './kind.ts';

/** Forwarding rules: what an address leads to. */
export const forwardingRules: Kind = {
  collection: 'forwardingRules',
  singular: 'forwardingRule',
  apis: { region: 'forwardingRules', global: 'globalForwardingRules' },
  methods: ['get', 'list', 'aggregatedList', 'insert', 'delete', 'patch'],
  complete: (world, _scope, { IPAddress, loadBalancingScheme = 'EXTERNAL' }) => ({
    loadBalancingScheme,
    IPAddress:
      typeof IPAddress === 'string' && IPAddress !== ''
        ? readAddress(world, IPAddress)
        : chooseAddress(world, loadBalancingScheme),
  }),
};
