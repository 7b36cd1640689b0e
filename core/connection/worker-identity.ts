/** How a worker is known to Temporal, which shows it wherever it tells who has taken something. */
const pattern = /^nodeferry (\S+) /;

/** The identity of a worker of that version, the process `pid` of `host`. */
export function workerIdentity(version: string, pid: number, host: string): string {
  return `nodeferry ${version} ${pid}@${host}`;
}

/** The version in a worker's identity; undefined for one that does not tell it. */
export function versionOfWorker(identity: string): string | undefined {
  return pattern.exec(identity)?.[1];
}
