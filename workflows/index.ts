/** The workflow bundle; the exported names are the workflow types. */
export { nodeDrain } from './node-drain.ts';
export { nodeReplacement } from './node-replacement.ts';
export { poolUpgrade } from './pool-upgrade.ts';
export { windowLauncher } from './window-launcher.ts';
