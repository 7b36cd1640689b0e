/** The workflow bundle; the exported names are the workflow types. */
export { nodeReplacement } from './node-replacement.ts';
export { poolUpgrade } from './pool-upgrade.ts';
export { windowLauncher } from './window-launcher.ts';
