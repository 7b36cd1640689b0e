import { patched, sleep } from '@temporalio/workflow';
import type { PoolUpgradeInput } from '../../workflows/messages.ts';
import { nodeDrain as nodeDrainToday } from '../../workflows/node-drain.ts';
import { nodeReplacement as nodeReplacementToday } from '../../workflows/node-replacement.ts';
import { poolUpgrade as poolUpgradeToday } from '../../workflows/pool-upgrade.ts';

/** The same additional command as in the changed workflows, but only in runs that start with it. */
export async function poolUpgrade(input: PoolUpgradeInput): ReturnType<typeof poolUpgradeToday> {
  if (patched('one-more-thing')) await sleep('1 second');
  return await poolUpgradeToday(input);
}

/** The node replacement, changed in the same way. */
export async function nodeReplacement(
  input: Parameters<typeof nodeReplacementToday>[0],
): ReturnType<typeof nodeReplacementToday> {
  if (patched('one-more-thing')) await sleep('1 second');
  return await nodeReplacementToday(input);
}

/** The drain, changed in the same way. */
export async function nodeDrain(input: PoolUpgradeInput): ReturnType<typeof nodeDrainToday> {
  if (patched('one-more-thing')) await sleep('1 second');
  return await nodeDrainToday(input);
}
