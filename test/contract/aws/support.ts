import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { PoolRef } from '../../../core/model/pool.ts';
import type { TargetPolicy } from '../../../core/policy/policy.ts';
import { type ManualClock, manualClock } from '../../../lab/aws/clock.ts';
import { type SimulatedAws, type SimulatedAwsOptions, startSimulatedAws } from '../../../lab/aws/server.ts';
import { certificate, key, trustAuthority } from '../../../lab/certificates.ts';
import type { Clock } from '../../../ports/clock.ts';

trustAuthority();

/** For simulated clouds that the adapters call as they call AWS: over TLS, with a certificate that is checked. */
export const tls = { certificate, key };

/** A simulated AWS on a clock of its own, with one node group `web` of four instances, minimum two. */
export interface AwsBench {
  readonly aws: SimulatedAws;
  readonly cloudClock: ManualClock;
  /** For the adapter: its sleeps move the cloud's clock on, so that no test waits. */
  readonly clock: Clock;
  readonly web: PoolRef;
  close(): Promise<void>;
}

/** Starts a bench and points the SDK at it. */
export async function openBench(options: Partial<SimulatedAwsOptions> = {}): Promise<AwsBench> {
  const cloudClock = manualClock(Date.now());
  const aws = await startSimulatedAws({
    clusterName: 'prod',
    clock: cloudClock,
    nodegroups: [
      { name: 'web', version: '1.35.8', instanceType: 'm7i.large', size: 4, minSize: 2, labels: { tier: 'web' } },
      { name: 'other', version: '1.35.8', instanceType: 'm7i.large', size: 2, minSize: 1 },
    ],
    tls,
    ...options,
  });
  pointSdkAt(aws.url);
  return {
    aws,
    cloudClock,
    clock: {
      now: () => cloudClock.now(),
      async sleep(ms) {
        cloudClock.advance(ms);
        await setImmediate();
      },
    },
    web: { cluster: 'prod', region: 'eu-west-1', provider: 'eks', name: 'web' },
    close: () => aws.close(),
  };
}

/** What operators set to use another AWS; any credentials will do. */
export function pointSdkAt(url: string): void {
  process.env['AWS_ENDPOINT_URL'] = url;
  process.env['AWS_ACCESS_KEY_ID'] = 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test';
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
}

/** A target that changes nothing but the name and the version. */
export const target: TargetPolicy = {
  poolName: 'web-new',
  version: '1.36',
  releaseVersion: undefined,
  launchTemplateVersion: undefined,
};

/** Names of the calls that the cloud has got, of one service. */
export function calls(aws: SimulatedAws, action: string) {
  return aws.requests.filter((call) => call.action === action);
}

/** A proxy that passes every request on, but loses the answers of those that `losesAnswer` chooses. */
export async function startForgetfulProxy(to: string, losesAnswer: (body: string) => boolean) {
  const server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '/', to);
      const passed = request(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
        if (losesAnswer(body)) return outgoing.destroy();
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        return answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
