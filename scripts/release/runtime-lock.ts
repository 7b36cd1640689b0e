/** A package of a lock file (docs.npmjs.com, package-lock.json). Npm marks what only development needs. */
interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A lock file of npm, as far as it matters here. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The lock file of a package that is installed elsewhere: the same versions, without those that only development needs. */
export function runtimeLock<T extends LockFile>(lock: T): T {
  const needed = Object.entries(lock.packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, { devDependencies: _notInstalled, ...locked }]) => [path, locked]);
  return { ...lock, packages: Object.fromEntries(needed) };
}
