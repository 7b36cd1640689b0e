import { readVersion } from '../../adapters/package/version.ts';
import type { AuditFinding, AuditReport } from '../../core/audit/audit.ts';
import { type AuditedObject, formatObject, type Rule } from '../../core/audit/rule.ts';
import { rules } from '../../core/audit/rules.ts';
import type { FindingSeverity } from '../../core/plan/finding.ts';

/** Severity in SARIF (SARIF 2.1.0, 3.27.10). */
type SarifLevel = 'error' | 'warning' | 'note';

const levels: Readonly<Record<FindingSeverity, SarifLevel>> = {
  blocker: 'error',
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/** The part of a SARIF log that an audit fills in (OASIS SARIF 2.1.0). */
interface SarifLog {
  readonly $schema: string;
  readonly version: '2.1.0';
  readonly runs: readonly SarifRun[];
}

interface SarifRun {
  readonly tool: { readonly driver: SarifDriver };
  readonly invocations: readonly {
    readonly executionSuccessful: boolean;
    readonly toolExecutionNotifications: readonly { readonly level: SarifLevel; readonly message: SarifText }[];
  }[];
  readonly results: readonly SarifResult[];
}

interface SarifText {
  readonly text: string;
}

interface SarifDriver {
  readonly name: string;
  readonly version: string;
  readonly rules: readonly {
    readonly id: string;
    readonly shortDescription: SarifText;
    readonly fullDescription: SarifText;
    readonly help: SarifText;
    readonly defaultConfiguration: { readonly level: SarifLevel };
  }[];
}

interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: SarifLevel;
  readonly message: SarifText;
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: { readonly startLine: number };
    };
    readonly logicalLocations: readonly { readonly fullyQualifiedName: string; readonly kind: 'object' }[];
  }[];
  readonly partialFingerprints: { readonly 'ruleAndObject/v1': string };
  readonly properties: { readonly severity: FindingSeverity };
  /** SARIF 2.1.0, 3.27.23: an accepted result is suppressed, and stays in the log. */
  readonly suppressions?: readonly { readonly kind: 'external'; readonly justification: string }[];
}

/**
 * An audit as a SARIF 2.1.0 log. Objects of a cluster are in no file, so they are logical locations. Code scanning of GitHub refuses a whole log for one
 * result without a file (github/codeql-action, "expected a physical location"), so each also has a path made from its name. The fingerprint lets later
 * logs recognize the same finding although its numbers have changed.
 */
export function toSarif(report: AuditReport): SarifLog {
  const fingerprints = fingerprintsOf(report);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'nodeferry', version: readVersion(), rules: rules.map(describeRule) } },
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: report.unread.map(({ what, problem, rules: left }) => ({
              level: 'warning',
              message: { text: `${what} not read: ${problem.message}. Not checked: ${left.join(', ')}` },
            })),
          },
        ],
        results: report.findings.map((finding, index) => resultOf(finding, report.cluster, fingerprints[index] ?? '')),
      },
    ],
  };
}

function describeRule({ id, title, why, fix, source, severities: [worst = 'warning'] }: Rule): SarifDriver['rules'][0] {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: why },
    help: { text: `${fix}\nSource: ${source}` },
    defaultConfiguration: { level: levels[worst] },
  };
}

/** One for each finding, in their order. Another finding of a rule at the same object has a number. */
function fingerprintsOf({ findings, cluster }: AuditReport): readonly string[] {
  const seen = new Map<string, number>();
  return findings.map(({ rule, object }) => {
    const own = `${cluster}/${rule}/${formatObject(object)}`;
    const n = (seen.get(own) ?? 0) + 1;
    seen.set(own, n);
    return n === 1 ? own : `${own}#${n}`;
  });
}

function resultOf(
  { rule, severity, object, message, fix, accepted }: AuditFinding,
  cluster: string,
  fingerprint: string,
): SarifResult {
  const name = formatObject(object);
  const exactly = [...(fix.commands ?? []), ...(fix.yaml === undefined ? [] : [fix.yaml])];
  return {
    ruleId: rule,
    ruleIndex: rules.findIndex(({ id }) => id === rule),
    level: levels[severity],
    message: { text: [`${name}: ${message}`, `Fix: ${fix.text}`, ...exactly].join('\n') },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: pathOf(object) }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: `${cluster}/${name}`, kind: 'object' }],
      },
    ],
    partialFingerprints: { 'ruleAndObject/v1': fingerprint },
    properties: { severity },
    ...(accepted === undefined ? {} : { suppressions: [{ kind: 'external', justification: accepted }] }),
  };
}

/** Where a manifest of the object could be. */
function pathOf({ kind, namespace, name }: AuditedObject): string {
  const parts = [...(namespace === undefined ? [] : [namespace]), kind, `${name}.yaml`];
  return parts.map(encodeURIComponent).join('/');
}
