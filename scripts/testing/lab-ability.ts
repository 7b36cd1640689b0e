import { execFileSync } from 'node:child_process';

/** Why the lab can't run on this machine, in one sentence; `undefined` when it can. */
export function labObstacle(): string | undefined {
  if (process.platform !== 'linux') return `The lab needs Linux; this is ${process.platform}.`;
  if (process.getuid?.() !== 0) return 'The lab needs root, for network namespaces and containers.';
  try {
    execFileSync('unshare', ['--net', '--mount', 'true'], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `The lab needs network and mount namespaces, which this machine refuses: ${String(error)}`;
  }
}
