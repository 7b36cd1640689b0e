import { z } from 'zod';
import { choice, deadline, duration, flag, name, objectKey, oneOf, share, text, wait, whole, word } from './fields.ts';
import { podSurgeModes, protectiveRules } from './policy.ts';
import { carriesPassword, isLinkLocal } from './probe-address.ts';

/** `apiVersion` of the written form. */
const policyApiVersion = 'nodeferry.dev/v1alpha1';

const minServingAllowed = 'a whole number of serving targets, such as 3, or a share, such as 50%';
const serviceOrAll = text("a Service as namespace/name, or '*'", /^(\*|[a-z0-9.-]+\/[a-z0-9.-]+)$/, 317);

/**
 * Letters, digits, hyphens and underscores, at most 100 (Amazon EKS API reference, CreateCluster). A slash would name a run that no command
 * can reach: they read CLUSTER/POOL.
 */
const clusterName = text(
  'an EKS cluster name: letters, digits, - and _, at most 100, a letter or digit first',
  /^[0-9A-Za-z][0-9A-Za-z_-]*$/,
  100,
).meta({ description: 'Name of the cluster.' });

/** As all regions of all partitions are written (aws/aws-sdk-js-v3, partitions.json: `us-gov-west-1`, `eu-isoe-west-1`, `eusc-de-east-1`). */
const region = text('an AWS region, such as eu-west-1', /^[a-z]{2,4}(?:-[a-z]+)+-\d{1,2}$/, 32).meta({
  description: 'Region of the cluster, e.g. eu-west-1.',
});

/** Letters, digits, hyphens and underscores, at most 63 (Amazon EKS API reference, CreateNodegroup). */
const nodegroupName = (description: string) =>
  text(
    'an EKS node group name: letters, digits, - and _, at most 63, a letter or digit first',
    /^[0-9A-Za-z][0-9A-Za-z_-]*$/,
    63,
  ).meta({ description });

const target = z
  .strictObject({
    poolName: nodegroupName(
      'Name of the replacement pool. Default: the old name with the new version, e.g. web-1-34.',
    ).optional(),
    version: text('a Kubernetes version in quotes, such as "1.34"', /^1\.[1-9]\d{0,2}$/, 16)
      .meta({ description: 'Kubernetes version of the new nodes, in quotes, e.g. "1.34". Default: as before.' })
      .optional(),
    releaseVersion: word(
      'an AMI release version, such as 1.34.2-20251103',
      'AMI release version of the new nodes. Default: the newest of the version.',
      128,
    ).optional(),
    launchTemplateVersion: word(
      'a launch template version, such as "7"',
      'Launch template version of the new nodes. Default: as before.',
      64,
    ).optional(),
  })
  .meta({ description: 'The new pool; what is not set is copied from the old one.' });

const surgeAllowed = 'a whole number of instances from 1 to 1000, or a share from 1% to 100%, such as 25%';
const nodeSurge = z
  .union([whole(1, 1000, surgeAllowed), share(surgeAllowed).regex(/[1-9]/, { error: surgeAllowed })], {
    error: surgeAllowed,
  })
  .default('100%')
  .meta({
    description:
      'New instances beyond the size of the pool at a time: a number, or a share of it. With less than 100% the new pool grows in waves, each when old instances have ended. Default 100%.',
  });

const guard = z
  .strictObject({
    defaultMinServing: share('a share from 0% to 100%, such as 75%').default('75%').meta({
      description:
        'Share of the serving targets of a Service that must keep serving, where neither minServing nor a PodDisruptionBudget applies. Default 75%.',
    }),
    maxInFlight: whole(1, 1000).optional().meta({
      description:
        'The largest number of nodes in progress together. Default 100, because no capacity is missing with pod surge; 10 without pod surge.',
    }),
    minServing: z
      .record(
        objectKey('Service'),
        z.union([whole(1, 100_000), share(minServingAllowed)], { error: minServingAllowed }),
        {
          error: 'Services with their minimum serving',
        },
      )
      .default({})
      .meta({
        description:
          'Serving targets that must stay, by Service: a number, or a share of the baseline (the most that was seen to serve).',
      }),
    acceptUnprotected: z
      .array(objectKey('Service'), { error: 'a list of Services as namespace/name' })
      .default([])
      .meta({
        description:
          'Services that may lose connections: one that touches the pool and cannot be protected (pod targets, a Classic Load Balancer, …) refuses the run unless it is listed here.',
      }),
  })
  .meta({ description: 'How much must keep serving.' });

const deadlines = z
  .strictObject({
    nodesReady: deadline('New nodes are Ready and registered.', '20m'),
    capacity: deadline(
      'New instances for which the cloud has no room: after this time a run whose new pool grows in waves (spec.nodeSurge) continues with those that are there.',
      '5m',
    ),
    deregistration: deadline('A node is deregistered after it was excluded: no target group sends to it.', '2m'),
    connectionDrain: deadline('A node has left its target groups after it was deregistered.', '20m'),
    eviction: deadline('All pods of a node are gone.', '15m'),
    replacements: deadline('Replacements are Ready and healthy in their load balancers.', '15m'),
    endpointRemoval: deadline('The endpoints of DaemonSets are gone from a node.', '5m'),
    jobCompletion: deadline('Pods that run to their end have ended (spec.drain.jobs, spec.drain.doNotDisrupt).', '1h'),
    termination: deadline('An instance has ended and its Node object is gone.', '15m'),
    guard: deadline('The capacity guard allows the next node to be excluded.', '1h'),
  })
  .meta({ description: 'After these times a wait ends and the run is stalled; nothing is forced.' });

const waits = z
  .strictObject({
    propagation: wait(
      'New connections may still arrive for this long after a target was deregistered (Network Load Balancer: about 2 minutes).',
      '180s',
    ),
    endpointPropagation: wait('Until a change of endpoints has reached every kube-proxy.', '3s'),
    margin: wait('Added to every timer.', '15s'),
    pollInterval: wait('Time between two observations of load balancers and cluster.', '15s', 100),
    stabilization: wait('Observations must agree for this long before a node is excluded.', '5s'),
    stabilizationAfterOutage: wait(
      'After the API server was unavailable, or many nodes became silent at once, no node is excluded for this long. After an outage of the API server no pod is told to stop either, because kube-proxies take up to a minute to reconnect.',
      '60s',
    ),
    maxConnectionAge: z
      .record(serviceOrAll, duration('Age at which the Service ends a connection.'), {
        error: 'Services with their ages',
      })
      .default({})
      .meta({
        description:
          "Age at which the servers of a Service end their connections, by Service; '*' means all others. Needed for policy Cluster only.",
      }),
    deadlines: deadlines.prefault({}),
  })
  .meta({ description: 'Waits that cannot be read from the load balancers.' });

const surplusAllowed = 'maxSurge, or a share from 0% to 100%, such as 50%';
const max = z.union([z.literal('maxSurge'), share(surplusAllowed)], { error: surplusAllowed });

const podSurge = z
  .strictObject({
    mode: choice(
      podSurgeModes,
      'Pods are replaced before they leave wherever that is possible (auto); or the run is refused where it is not (required); or all pods are evicted within their budgets (off).',
      'auto',
    ),
    max: max.default('maxSurge').meta({
      description:
        'How many pods beyond its replicas a Deployment may have during pod surge: as many as in its own rollouts (maxSurge), or a share of its replicas; with 100% all nodes leave together. Default maxSurge.',
    }),
    workloads: z
      .record(
        objectKey('Deployment'),
        z.strictObject({
          mode: oneOf(podSurgeModes).optional().meta({ description: 'Default: as for all others.' }),
          max: max.optional().meta({ description: 'Default: as for all others.' }),
        }),
        { error: 'Deployments with their exceptions' },
      )
      .default({})
      .meta({ description: 'Exceptions, by Deployment.' }),
  })
  .meta({ description: 'Whether replacements start before the old pods leave.' });

const drain = z
  .strictObject({
    deleteEmptyDirData: flag('Evict pods with emptyDir volumes; their data is lost.'),
    force: flag('Evict pods that no controller starts again.'),
    doNotDisrupt: choice(
      ['refuse', 'wait', 'evict'],
      'Pods and nodes with an annotation that asks to leave them alone (cluster-autoscaler.kubernetes.io/safe-to-evict: "false" or karpenter.sh/do-not-disrupt) refuse the run, are waited for, or are moved anyway.',
      'refuse',
    ),
    jobs: choice(
      ['evict', 'wait'],
      'Pods of Jobs are evicted, so that their work starts again from the beginning, or are waited for.',
      'evict',
    ),
    unreachableNodes: choice(
      ['ask', 'terminate'],
      'A node whose kubelet has been silent for 5 minutes, from which no load balancer gets an answer, and whose pods can’t end: the run asks an operator to terminate its instance (ask), or terminates it like any other (terminate; not where a fifth of all nodes is silent). In both cases it continues with other nodes.',
      'ask',
    ),
    keepEndpoints: z
      .array(objectKey('workload'), { error: 'a list of workloads as namespace/name' })
      .default([])
      .meta({ description: 'Workloads whose pods keep their labels, and so stay endpoints, until they are evicted.' }),
  })
  .meta({ description: 'How pods are moved; the fields are named as in kubectl drain.' });

const url = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .max(2048, { error: 'an http or https address of at most 2048 characters' })
  .refine((address) => !carriesPassword(address), {
    error:
      'an address without user name and password, which would be stored in the history of the run; use a path that needs none',
  })
  .refine((address) => !isLinkLocal(address), {
    error: 'the address of a service; link-local and instance metadata addresses are not probed',
  });

const probe = z.strictObject({
  name: name('Name of the probe in status and report.', 63),
  urls: z
    .array(url, { error: 'a list of http or https addresses' })
    .min(1, { error: 'at least one address' })
    .meta({ description: 'http or https addresses, asked in turn.' }),
  ratePerSecond: z
    .number({ error: 'a number above 0, at most 1000' })
    .positive({ error: 'a number above 0, at most 1000' })
    .max(1000, { error: 'a number above 0, at most 1000' })
    .default(1)
    .meta({ description: 'New connections per second. Default 1.' }),
  timeout: wait('After this time a request counts as lost.', '5s'),
});

const traffic = z
  .strictObject({
    probes: z
      .array(probe, { error: 'a list of probes' })
      .default([])
      .meta({ description: 'Requests that the worker sends during the run.' }),
    lossBudget: whole(0, 1_000_000_000).default(0).meta({
      description:
        'Requests that may be lost before the run pauses and starts no further node. Losses while no node of the run is out of its load balancers are reported, but not counted here. Default 0.',
    }),
    watchAfter: wait('The probes continue for this long after everything has been restored.', '30s'),
  })
  .meta({ description: 'How traffic is probed during the run.' });

/** The written form of a policy. */
export const policySchema = z
  .strictObject({
    apiVersion: z.literal(policyApiVersion, { error: policyApiVersion }),
    kind: z.literal('PoolUpgrade', { error: 'PoolUpgrade' }),
    metadata: z.strictObject({ name: name('Name of the policy.', 63) }),
    spec: z.strictObject({
      cluster: z.strictObject({
        name: clusterName,
        region,
      }),
      pool: z.strictObject({
        provider: z
          .literal('eks', { error: 'eks' })
          .default('eks')
          .meta({ description: 'Provider of the pool. Default eks.' }),
        name: nodegroupName('Name of the pool to replace.'),
      }),
      target: target.prefault({}),
      nodeSurge,
      guard: guard.prefault({}),
      waits: waits.prefault({}),
      drain: drain.prefault({}),
      podSurge: podSurge.prefault({}),
      traffic: traffic.prefault({}),
      disabledRules: z.array(oneOf(protectiveRules), { error: 'a list of rules' }).default([]).meta({
        description: 'Protective rules to disable; only for experiments that are meant to lose requests.',
      }),
    }),
  })
  .meta({ title: 'PoolUpgrade', description: 'Replaces every node of a pool without losing a connection.' });

/** A policy as written, with defaults filled in. */
export type WrittenPolicy = z.output<typeof policySchema>;

/** The JSON schema (draft 7) of the written form, for editors. */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  jsonSchema ??= z.toJSONSchema(policySchema, { io: 'input', target: 'draft-7' });
  return jsonSchema;
}

let jsonSchema: Readonly<Record<string, unknown>> | undefined;
