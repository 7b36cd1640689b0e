/** What happens to the lab beside an upgrade, measured alone and during one. */
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppsV1Api, CoreV1Api, KubeConfig, type V1Pod } from '@kubernetes/client-node';
import { excludeLabel, zoneLabel } from '../../core/model/labels.ts';
import { registerInstance } from '../../lab/cluster/target-groups.ts';
import type { Lab } from '../../lab/lab.ts';
import { unreadyFile } from '../../lab/scenarios/parts.ts';
import type { Incident } from '../../lab/traffic/prober.ts';
import { describeLosses, type LabUpgrades, type Losses } from './lab-upgrades.ts';
import { isReady, mergePatch } from './objects.ts';
import { openRecovery, type Recovery } from './recovery.ts';

/**
 * Health checks of the lab take up to 10 s to fail or to pass twice, and what they find takes 3 s to spread. Pods that serve on for that
 * long after they were told to stop, and are told only when their successors have been ready for that long, lose nothing to a rollout
 * that moves them. With either alone it does: the load balancer gives up the last old node of a zone before it has found a new one, and
 * sends to every registered node of the zone meanwhile (fail open), also to those without a pod. With 18 s, a busy computer on which checks came
 * late lost one request to a rollout alone.
 */
const loadBalancerSeconds = 25;

/** What can be done to a lab. Each resolves when it is over, not when its consequences are. */
export interface Disturbances {
  /** All pods of `web` fail their readiness probes for so long, ms, though they would serve. */
  readonly flap: (durationMs: number) => Promise<void>;
  /** The API server is dead for so long, ms, and then begins anew; resolves when it answers. */
  readonly killApiServer: (durationMs: number) => Promise<void>;
  /** Of what the death of the API server does to the cluster. */
  readonly recovery: Recovery;
  /** A new template of `web`, as `kubectl rollout restart` makes it; resolves when all its pods are new and ready. */
  readonly rollOut: () => Promise<void>;
  /** Resolves when as many pods of `web` are ready, and no others are there. */
  readonly scale: (replicas: number) => Promise<void>;
  /** Deletes pods of `web` in a zone that has more of them than another one, and those that share a node, until neither is so. */
  readonly spreadEvenly: () => Promise<void>;
  /** What `web` is scaled to. */
  readonly replicas: () => Promise<number>;
  /** Rollouts of `web` wait for load balancers, before and after a pod is told to stop; a rollout of its own. */
  readonly waitInRollouts: () => Promise<void>;
  /** Somebody takes the exclude label off. */
  readonly removeLabel: (node: string) => Promise<void>;
  /** A controller registers the node in all target groups, though it is excluded. */
  readonly registerAgain: (node: string) => Promise<void>;
}

/** Opens the means to disturb a lab whose scenario has `web` with a file to make it unready. */
export function openDisturbances(lab: Lab): Disturbances {
  const config = new KubeConfig();
  config.loadFromFile(lab.kubeconfigPath);
  const core = config.makeApiClient(CoreV1Api);
  const apps = config.makeApiClient(AppsV1Api);
  const web = { name: 'web', namespace: 'default' };
  const recovery = openRecovery(config, web.namespace);

  async function change(body: object): Promise<void> {
    await apps.patchNamespacedDeployment({ ...web, body }, mergePatch);
    await settled();
  }

  async function settled(): Promise<void> {
    for (;;) {
      const { metadata, spec, status } = await apps.readNamespacedDeployment(web);
      const want = spec?.replicas ?? 0;
      const seen = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
      const counts = [status?.replicas, status?.updatedReplicas, status?.readyReplicas];
      if (seen && counts.every((count) => (count ?? 0) === want)) return;
      await sleep(200);
    }
  }

  /** The pods of `web` in each zone, the most in one zone first, once all are ready. */
  async function podsByZone(): Promise<readonly (readonly V1Pod[])[]> {
    const zoneOf = new Map(
      (await core.listNode()).items.map(({ metadata }) => [metadata?.name, metadata?.labels?.[zoneLabel]]),
    );
    for (;;) {
      const { spec } = await apps.readNamespacedDeployment(web);
      const labelSelector = Object.entries(spec?.selector.matchLabels ?? {})
        .map((pair) => pair.join('='))
        .join(',');
      const { items } = await core.listNamespacedPod({ namespace: web.namespace, labelSelector });
      const kept = items.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
      const ready = kept.filter(isReady);
      const inZone = (zone: string | undefined) => ready.filter((pod) => zoneOf.get(pod.spec?.nodeName) === zone);
      if (kept.length === spec?.replicas && ready.length === kept.length)
        return [...new Set(zoneOf.values())].map(inZone).toSorted((a, b) => b.length - a.length);
      await sleep(200);
    }
  }

  return {
    flap: async (durationMs) => {
      writeFileSync(unreadyFile('web'), '');
      await sleep(durationMs);
      rmSync(unreadyFile('web'));
    },
    killApiServer: async (durationMs) => {
      recovery.begin();
      await lab.killApiServer(durationMs);
    },
    recovery,
    rollOut: async () => {
      const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
      await change({ spec: { template: { metadata: { annotations } } } });
    },
    replicas: async () => (await apps.readNamespacedDeployment(web)).spec?.replicas ?? 0,
    spreadEvenly: async () => {
      for (;;) {
        const zones = await podsByZone();
        const [most, least] = [zones[0] ?? [], zones.at(-1) ?? []];
        const nodeOf = ({ spec }: V1Pod) => spec?.nodeName;
        const second = zones.flat().find((pod, at, all) => all.map(nodeOf).indexOf(nodeOf(pod)) < at);
        const one = most.length - least.length > 1 ? most[0] : second;
        if (one?.metadata?.name === undefined) return;
        await core.deleteNamespacedPod({ namespace: web.namespace, name: one.metadata.name });
      }
    },
    scale: async (replicas) => await change({ spec: { replicas } }),
    waitInRollouts: async () => {
      const container = (await apps.readNamespacedDeployment(web)).spec?.template.spec?.containers[0];
      if (container === undefined) throw new Error('web has no container');
      container.lifecycle = { preStop: { sleep: { seconds: loadBalancerSeconds } } };
      await change({
        spec: {
          minReadySeconds: loadBalancerSeconds,
          strategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } },
          template: { spec: { containers: [container] } },
        },
      });
    },
    removeLabel: async (name) => {
      await core.patchNode({ name, body: { metadata: { labels: { [excludeLabel]: null } } } }, mergePatch);
    },
    registerAgain: async (name) => {
      const instanceId = lab.status().nodes.find((node) => node.name === name)?.instanceId;
      const region = lab.opsEnv['AWS_REGION'];
      if (instanceId === undefined || region === undefined) throw new Error(`no machine of the lab is ${name}`);
      await registerInstance({ url: lab.awsUrl, region }, lab.services, instanceId);
    },
  };
}

/** What a disturbance costs where nothing else happens. */
export interface Cost {
  /** Requests that were lost, cut or slow. */
  readonly bad: number;
  /** From its beginning until the last such request was sent, ms; 0 when there was none. */
  readonly lastedMs: number;
  /** It costs so differently from time to time that only when it may cost something can be compared. */
  readonly varies?: boolean;
}

/** What kube-proxies and load balancers need beyond `shiftMs` until a pod that is an endpoint again is served, ms. */
const healthyAgainMs = 5_000;

/**
 * What an API server that does not answer for so long, ms, costs alone: between nothing and 700 requests in three measurements of 15 s and the time that
 * it takes to start, the last of them 48 s after its death. Which leases the controllers see in time is chance; nodes whose they don't see are
 * NotReady for a while, and with them all endpoints of their pods. It lasts at least until the cluster is well again, ms after it began.
 */
export function outageCost(unansweredMs: number, unwellMs: number): Cost {
  return { bad: 0, lastedMs: Math.max(unansweredMs + 35_000, unwellMs + healthyAgainMs), varies: true };
}

/** A disturbance that took place: from when on it may have cost something, epoch ms. */
export interface Struck {
  readonly at: number;
  readonly what: string;
}

/** What a disturbance costs has begun to show by then, ms: nodes are found NotReady, health checks have failed. */
const consequencesMs = 30_000;

/** Measures what a disturbance costs alone. */
export async function measureAlone(upgrades: LabUpgrades, strike: () => Promise<void>): Promise<Cost> {
  await upgrades.beginClean();
  const at = Date.now();
  await strike();
  await sleep(consequencesMs);
  await Promise.all(upgrades.session.traffic.map((traffic) => traffic.waitUntilClean(10)));
  const losses = await upgrades.losses();
  const last = Math.max(at, losses.lastBadAt ?? at);
  process.stderr.write(`* alone, for ${last - at} ms: ${describeLosses(losses)}\n`);
  if (losses.lastBadAt !== undefined) await upgrades.forgetUnanswered();
  return { bad: countBad(losses), lastedMs: last - at };
}

/** Two health checks, 5 s apart, find a target healthy again, and it takes a moment to spread: where in their turn they are is chance, ms. */
const shiftMs = 12_000;

/** One disturbance cost between 312 and 575 requests in four measurements, alone and during upgrades. What a guard lets happen costs thousands. */
const spread = 2;
const chance = 5;

/**
 * For how long, ms, a port of a caller on a node is without an answer after a SYN from it was not translated. When a Service gets its first endpoint
 * again, a kube-proxy in mode iptables stops to reject (table filter) before it translates (table nat), and a SYN in between leaves untranslated. The
 * entry that connection tracking has of it keeps each later SYN from the same port untranslated (`nf_conntrack_tcp_timeout_syn_sent`), and Linux
 * chooses client ports anew every 10 s. Reproduced in network namespaces.
 */
const untranslatedMs = 120_000;

/** How a caller on a node learns that its SYN was not translated: nothing else leads to the address of a Service. */
const untranslated = /network is unreachable/;

/** Whether connection tracking did to the second what it had done to the first: neither SYN was translated, and they came from one port. */
function isSameEntry(first: Incident, second: Incident): boolean {
  return (
    [first, second].every(({ error = '' }) => untranslated.test(error)) &&
    first.local !== undefined &&
    first.local === second.local &&
    first.url === second.url &&
    second.atMs >= first.atMs &&
    second.atMs <= first.atMs + untranslatedMs
  );
}

/** What was lost that the disturbances don't explain, in words: at another time than theirs, or more than they cost alone. */
export function findUnexplained(losses: Losses, struck: readonly Struck[], alone: Cost): readonly string[] {
  const { incidents, lastBadAt, incidentsLeftOff } = losses;
  const isBounded = alone.varies !== true;
  const isDuring = (atMs: number) =>
    struck.some(({ at }) => atMs >= at - 1_000 && atMs <= at + alone.lastedMs + shiftMs);
  const explained: Incident[] = [];
  const outside: Incident[] = [];
  for (const one of incidents.toSorted((a, b) => a.atMs - b.atMs)) {
    const isExplained = isDuring(one.atMs) || explained.some((earlier) => isSameEntry(earlier, one));
    (isExplained ? explained : outside).push(one);
  }
  const reported = costsSomething(alone) ? outside : [];
  // More requests may have been lost than there are incidents.
  const isKnown = incidents.some(({ atMs }) => atMs === lastBadAt);
  const isLate = lastBadAt !== undefined && !isKnown && !isDuring(lastBadAt);
  const allowed = alone.bad === 0 ? 0 : struck.length * (alone.bad * spread + chance);
  const bad = countBad(losses);
  return [
    ...reported
      .slice(0, 5)
      .map(
        ({ stream, atMs, error, local = '?' }) =>
          `${stream} at ${new Date(atMs).toISOString()} from ${local}: ${error ?? 'slow'}`,
      ),
    ...(isLate && reported.length === 0 ? [`the last one at ${new Date(lastBadAt).toISOString()}`] : []),
    ...(incidentsLeftOff > 0 ? [`${incidentsLeftOff} of which nobody knows when`] : []),
    ...(isBounded && bad > allowed ? [`${bad} lost, cut or slow; ${struck.length} × ${alone.bad} alone`] : []),
  ];
}

/** Whether anything may be lost, cut or slow for it. */
export function costsSomething({ bad, varies }: Cost): boolean {
  return bad > 0 || varies === true;
}

/** Requests that were lost, cut or slow. */
export function countBad({ requests }: Pick<Losses, 'requests'>): number {
  return requests.lost + requests.cut + requests.slow;
}
