/**
 * Whether this is the address of a namespace on Temporal Cloud: `namespace.account.tmprl.cloud`, `region.provider.api.temporal.io`, or one of these
 * for a private connection (docs.temporal.io/cloud/namespaces, "access endpoints").
 */
export function isTemporalCloud(address: string): boolean {
  const host = address.replace(/:\d+$/, '').toLowerCase();
  return host.endsWith('.tmprl.cloud') || host === 'api.temporal.io' || host.endsWith('.api.temporal.io');
}
