import { type AuditReport, acceptRules, needsFix } from '../../core/audit/audit.ts';
import { rules } from '../../core/audit/rules.ts';
import { readAcceptances, type WrittenAcceptances } from '../accept-option.ts';
import type { AuditTarget } from '../audit/audit-cluster.ts';
import type { AuditFormat } from '../audit/formats.ts';
import { type ExitCode, exitCodes } from '../output/exit-codes.ts';
import { readPolicyFile } from '../output/policy-file.ts';
import { printData } from '../output/print.ts';
import { styleFor } from '../output/style.ts';

/** Options of `audit`. */
interface AuditOptions extends Omit<AuditTarget, 'policy'> {
  /** Policy whose settings hold; `-` for standard input. */
  readonly file: string | undefined;
  readonly output: AuditFormat;
  readonly accept: WrittenAcceptances;
}

/**
 * Audits a cluster and prints what was found. Exit code 0 if everything was read, and nothing is worse than a warning but what is accepted. Changes
 * nothing.
 */
export async function auditCommand({ file, output, accept, ...target }: AuditOptions): Promise<ExitCode> {
  const reasons = readAcceptances(
    accept,
    rules.map(({ id }) => id),
  );
  const policy = file === undefined ? undefined : readPolicyFile(file);
  // Loaded on demand: the clients of the cluster and the cloud take half a second of CPU.
  const { auditCluster } = await import('../audit/audit-cluster.ts');
  const found = await auditCluster({ ...target, ...(policy === undefined ? {} : { policy }) });
  const report = acceptRules(found, { ...policy?.accept, ...reasons });
  if (output === 'sarif') {
    const { toSarif } = await import('../audit/sarif.ts');
    printData('json', toSarif(report), () => '');
  } else {
    const { renderAudit } = await import('../view/audit.ts');
    printData(output, report, () => renderAudit(report, styleFor(process.stdout)).join('\n'));
  }
  return exitCodeOf(report);
}

/** Rules that could not be applied may have found something. */
export function exitCodeOf(report: AuditReport): ExitCode {
  if (needsFix(report)) return exitCodes.failed;
  return report.unread.length === 0 ? exitCodes.ok : exitCodes.unmeasured;
}
