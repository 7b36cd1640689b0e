import type { Kind } from './kind.ts';

/**
 * Target TCP proxies: what stands between a forwarding rule and the backend service of a proxy Network Load Balancer, which `service` names (Compute API
 * reference, TargetTcpProxy).
 */
export const targetTcpProxies: Kind = {
  collection: 'targetTcpProxies',
  singular: 'targetTcpProxy',
  apis: { region: 'regionTargetTcpProxies', global: 'targetTcpProxies' },
  methods: ['get', 'list', 'insert', 'delete'],
};
