/** Identity of a worker. Temporal shows it in histories and task queues. */
const pattern = /^nodeferry (\S+) /;

/** The identity of a worker of a version, running as process `pid` on `host`. */
export function workerIdentity(version: string, pid: number, host: string): string {
  return `nodeferry ${version} ${pid}@${host}`;
}

/** The version in a worker's identity. Undefined when the identity has none. */
export function versionOfWorker(identity: string): string | undefined {
  return pattern.exec(identity)?.[1];
}
