/** The messages between a schedule, its launcher and whoever reads what it did. */
import type { Policy } from '../core/policy/policy.ts';

/** What a schedule starts its launcher with. */
export interface LauncherInput {
  /** ID of the schedule. */
  readonly schedule: string;
  readonly policy: Policy;
}

/** Whether a launcher has started an upgrade, and how that ended; or why it has not. */
export type LauncherResult =
  | { readonly started: true; readonly run: string; readonly reason: string }
  | { readonly started: false; readonly reason: string };
