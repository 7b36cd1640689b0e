import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readVersion } from '../adapters/package/version.ts';
import { NodeferryError } from '../core/model/problem.ts';
import { type ApprovedPlan, approvedPart } from '../core/plan/approved-plan.ts';
import type { PoolPlan } from '../core/plan/pool-plan.ts';
import type { Policy } from '../core/policy/policy.ts';
import { fieldsOf, isText } from '../core/status/read-plain.ts';
import { writeNamedFile } from './output/write-file.ts';

/** A plan that was saved for review, and that a run can be started from. */
interface SavedPlan {
  readonly policy: Policy;
  readonly approved: ApprovedPlan;
}

const kind = 'PoolUpgradePlan';

/** Saves a plan. @throws NodeferryError InvalidArgument when the file can't be written */
export function savePlan(path: string, plan: PoolPlan): void {
  const content = { madeBy: readVersion(), policy: plan.policy, approved: approvedPart(plan) };
  const saved = { kind, checksum: checksumOf(content), ...content };
  writeNamedFile(path, `${JSON.stringify(saved, undefined, 2)}\n`, 'plan');
}

/**
 * Reads a plan that was saved. Its checksum makes sure that it says what was reviewed, and that it is whole.
 * @throws NodeferryError InvalidPolicy when it is not a saved plan, was changed by hand, or comes from another version
 */
export function readSavedPlan(path: string): SavedPlan {
  const { kind: found, checksum, madeBy, policy, approved } = fieldsOf(parse(path));
  if (found !== kind || !isText(checksum) || !isText(madeBy)) throw unreadable(path, 'it is not a saved plan');
  if (madeBy !== readVersion())
    throw unreadable(path, `nodeferry ${madeBy} has made it, and this is nodeferry ${readVersion()}`);
  if (checksumOf({ madeBy, policy, approved }) !== checksum)
    throw unreadable(path, 'it was changed after it was saved');
  // The checksum says that this version has written both.
  return { policy: policy as Policy, approved: approved as ApprovedPlan };
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw unreadable(path, cause instanceof SyntaxError ? 'it is not JSON' : "it can't be read", cause);
  }
}

function unreadable(path: string, why: string, cause?: unknown): NodeferryError {
  return new NodeferryError(
    {
      code: 'InvalidPolicy',
      message: `The plan ${path} can't be used: ${why}. Nothing was started.`,
      hint: `Make it anew: nodeferry plan -f POLICY --out ${path}   or start from a policy: nodeferry upgrade -f POLICY`,
    },
    { cause },
  );
}

/** The same content gives the same checksum, in whatever order its fields come. */
function checksumOf(content: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(content)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, entry]) => [key, sorted(entry)]),
  );
}
