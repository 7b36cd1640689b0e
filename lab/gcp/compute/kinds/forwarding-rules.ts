import { chooseAddress, chooseRange, readAddress } from './addresses.ts';
import type { Kind } from './kind.ts';

/** Forwarding rules: what an address leads to. */
export const forwardingRules: Kind = {
  collection: 'forwardingRules',
  singular: 'forwardingRule',
  apis: { region: 'forwardingRules', global: 'globalForwardingRules' },
  methods: ['get', 'list', 'aggregatedList', 'insert', 'delete', 'patch'],
  complete: (world, _scope, { IPAddress, ipVersion, loadBalancingScheme = 'EXTERNAL' }) => ({
    loadBalancingScheme,
    IPAddress:
      typeof IPAddress === 'string' && IPAddress !== ''
        ? readAddress(world, IPAddress)
        : ipVersion === 'IPV6'
          ? chooseRange(world)
          : chooseAddress(world, loadBalancingScheme),
  }),
};
