/**
 * Limits of the host that all nodes of all labs share. Every kubelet, containerd and kube-proxy has inotify instances, of which a user may have 128 by
 * default: with three labs, kubelets of new nodes ended with "inotify_init: too many open files". https://man7.org/linux/man-pages/man7/inotify.7.html
 */
import { readFile, rm, writeFile } from 'node:fs/promises';

const INOTIFY = '/proc/sys/fs/inotify/max_user_instances';

/** Enough for some hundred nodes. */
const NEEDED = 4096;

/** What the limit was before the first lab raised it. */
const BEFORE = '/run/nodeferry-inotify-instances';

/** Raises the limit if it is lower. Does nothing where the host does not allow that. */
export async function raiseHostLimits(): Promise<void> {
  const limit = Number(await readFile(INOTIFY, 'utf8'));
  if (limit >= NEEDED) return;
  await writeFile(BEFORE, String(limit));
  await writeFile(INOTIFY, String(NEEDED)).catch(() => undefined);
}

/** Restores the limit, if a lab has raised it. For the last lab that ends. */
export async function restoreHostLimits(): Promise<void> {
  const before = await readFile(BEFORE, 'utf8').catch(() => undefined);
  if (before === undefined) return;
  await writeFile(INOTIFY, before).catch(() => undefined);
  await rm(BEFORE, { force: true });
}
