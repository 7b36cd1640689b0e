/** Formats of `audit`: SARIF is what code scanning reads (OASIS SARIF 2.1.0). */
export const auditFormats = ['table', 'json', 'sarif'] as const;
/** One of them. */
export type AuditFormat = (typeof auditFormats)[number];
