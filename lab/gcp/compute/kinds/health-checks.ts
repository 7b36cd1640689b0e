import type { Kind } from './kind.ts';

/** Defaults (Compute API reference, HealthCheck and HttpHealthCheck). */
const defaults = { checkIntervalSec: 5, timeoutSec: 5, healthyThreshold: 2, unhealthyThreshold: 2 };

const common: Pick<Kind, 'methods' | 'complete'> = {
  methods: ['get', 'list', 'insert', 'delete', 'patch', 'update'],
  complete: (_world, _scope, body) => ({ ...defaults, ...body }),
};

/** Health checks of backend services. */
export const healthChecks: Kind = {
  collection: 'healthChecks',
  singular: 'healthCheck',
  apis: { region: 'regionHealthChecks', global: 'healthChecks' },
  ...common,
};

/** The older health checks, which target pools have. */
export const httpHealthChecks: Kind = {
  collection: 'httpHealthChecks',
  singular: 'httpHealthCheck',
  apis: { global: 'httpHealthChecks' },
  ...common,
};

/** The same over HTTPS. */
export const httpsHealthChecks: Kind = {
  collection: 'httpsHealthChecks',
  singular: 'httpsHealthCheck',
  apis: { global: 'httpsHealthChecks' },
  ...common,
};
