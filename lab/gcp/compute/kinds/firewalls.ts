import type { Kind } from './kind.ts';

/** Firewall rules. They let nothing through and stop nothing here: the lab has packets of its own. */
export const firewalls: Kind = {
  collection: 'firewalls',
  singular: 'firewall',
  apis: { global: 'firewalls' },
  methods: ['get', 'list', 'insert', 'delete', 'patch', 'update'],
  complete: (_world, _scope, { direction = 'INGRESS', priority = 1_000 }) => ({ direction, priority }),
};
