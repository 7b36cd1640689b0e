import { sleep } from '@temporalio/workflow';
import type { PoolUpgradeInput } from '../../workflows/messages.ts';
import { nodeDrain as nodeDrainToday } from '../../workflows/node-drain.ts';
import { nodeReplacement as nodeReplacementToday } from '../../workflows/node-replacement.ts';
import { poolUpgrade as poolUpgradeToday } from '../../workflows/pool-upgrade.ts';

/** The pool upgrade with one more command at its beginning, as a careless change would add it. */
export async function poolUpgrade(input: PoolUpgradeInput): ReturnType<typeof poolUpgradeToday> {
  await sleep('1 second');
  return await poolUpgradeToday(input);
}

/** The node replacement with one more command at its beginning. */
export async function nodeReplacement(
  input: Parameters<typeof nodeReplacementToday>[0],
): ReturnType<typeof nodeReplacementToday> {
  await sleep('1 second');
  return await nodeReplacementToday(input);
}

/** The drain with one more command at its beginning. */
export async function nodeDrain(input: PoolUpgradeInput): ReturnType<typeof nodeDrainToday> {
  await sleep('1 second');
  return await nodeDrainToday(input);
}
