import { stepLists } from '../../core/steps/steps.ts';
import type { UpgradeScene } from './upgrade-of.ts';

/** Activities that do not begin in an upgrade before the old pool is deleted. */
const others: ReadonlySet<string> = new Set([
  // Of drains.
  'confirmEmpty',
  // The old pool is being deleted.
  'deletePool',
  // Of runs that are ended by an operator.
  'restoreNode',
  'cleanUp',
]);

/** Every activity of a phase or step in which an operator can end an upgrade; so of a new one too. */
export const stepsOfUpgrade: readonly string[] = [...stepLists.phases, ...stepLists.steps]
  .flatMap(({ activity }) => activity ?? [])
  .filter((activity) => !others.has(activity));

/** The scene of an upgrade in which that activity begins. */
export function sceneWith(activity: string): UpgradeScene {
  return activity === 'surgePods' ? { podSurge: {} } : {};
}
