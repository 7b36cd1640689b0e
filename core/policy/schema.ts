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
  .meta({ description: 'What the new pool shall be; what is not said is taken over from the old one.' });

const surgeAllowed = 'a whole number of machines from 1 to 1000, or a share from 1% to 100%, such as 25%';
const nodeSurge = z
  .union([whole(1, 1000, surgeAllowed), share(surgeAllowed).regex(/[1-9]/, { error: surgeAllowed })], {
    error: surgeAllowed,
  })
  .default('100%')
  .meta({
    description:
      'New machines beyond the size of the pool at a time: a number, or a share of it. With fewer than all the new pool grows in waves, each as old machines have ended. Default 100%.',
  });

const guard = z
  .strictObject({
    defaultMinServing: share('a share from 0% to 100%, such as 75%').default('75%').meta({
      description:
        'Share of the serving targets of a Service that must keep serving where neither floors nor a PodDisruptionBudget says it. Default 75%.',
    }),
    maxInFlight: whole(1, 1000).optional().meta({
      description:
        'The most nodes that may be on their way out together. Default 100, because nothing is missing while pods are handed over; 10 where no pods are.',
    }),
    minServing: z
      .record(
        objectKey('Service'),
        z.union([whole(1, 100_000), share(minServingAllowed)], { error: minServingAllowed }),
        {
          error: 'Services with their floors',
        },
      )
      .default({})
      .meta({
        description:
          'Serving targets that must stay, by Service: a number, or a share of the most that was seen to serve.',
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
      'New machines for which the cloud has no room: after that a run whose new pool grows in waves (spec.nodeSurge) goes on with those that are there.',
      '5m',
    ),
    deregistration: deadline('A node is seen out of its target groups after it was excluded.', '2m'),
    connectionDrain: deadline('A node has left its target groups after it was seen out.', '20m'),
    eviction: deadline('All pods of a node are gone.', '15m'),
    replacements: deadline('Replacements are Ready and healthy in their load balancers.', '15m'),
    endpointRemoval: deadline('The endpoints of DaemonSets are gone from a node.', '5m'),
    jobCompletion: deadline('Pods that run to their end have ended (spec.drain.jobs, spec.drain.doNotDisrupt).', '1h'),
    termination: deadline('A machine has ended and its node is gone.', '15m'),
    guard: deadline('The capacity guard lets the next node go.', '1h'),
  })
  .meta({ description: 'After these times a wait ends and the run asks for attention; nothing is forced.' });

const waits = z
  .strictObject({
    propagation: wait(
      'New connections may still arrive for this long after a target was deregistered (Network Load Balancer: about 2 minutes).',
      '180s',
    ),
    endpointPropagation: wait('Until a change of endpoints has reached every kube-proxy.', '3s'),
    margin: wait('Added to every timer.', '15s'),
    pollInterval: wait('Time between two looks at load balancers and cluster.', '15s', 100),
    stabilization: wait('Looks must agree for this long before a node steps out.', '5s'),
    stabilizationAfterOutage: wait(
      'After the API server was away, or many nodes fell silent at once, nothing steps out for this long; after the first no pod is told to stop either, because kube-proxies take up to a minute to listen again.',
      '60s',
    ),
    maxConnectionAge: z
      .record(serviceOrAll, duration('Age at which the Service ends a connection.'), {
        error: 'Services with their ages',
      })
      .default({})
      .meta({
        description:
          "Age at which the servers of a Service end their connections, by Service; '*' stands for all others. Needed for policy Cluster only.",
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
      'Pods are replaced before they leave where that can be (auto), or else the run is refused (required), or they are evicted within their budgets (off).',
      'auto',
    ),
    max: max.default('maxSurge').meta({
      description:
        'How many pods beyond its replicas a Deployment may have meanwhile: as many as in its own rollouts (maxSurge), or a share of its replicas; with 100% all nodes leave together. Default maxSurge.',
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
      'Pods and nodes that ask to be left alone (annotation cluster-autoscaler.kubernetes.io/safe-to-evict: "false" or karpenter.sh/do-not-disrupt) refuse the run, are waited for, or are moved all the same.',
      'refuse',
    ),
    jobs: choice(
      ['evict', 'wait'],
      'Pods of Jobs are evicted, so that their work starts again from the beginning, or are waited for.',
      'evict',
    ),
    unreachableNodes: choice(
      ['ask', 'terminate'],
      'A node whose kubelet has been silent for 5 minutes, from which no load balancer gets an answer, and whose pods can’t end: the run asks an operator to end its machine (ask), or ends it as any other (terminate; not where a fifth of all nodes is silent). Either way it goes on with other nodes.',
      'ask',
    ),
    keepEndpoints: z
      .array(objectKey('workload'), { error: 'a list of workloads as namespace/name' })
      .default([])
      .meta({ description: 'Workloads whose pods keep their labels until they are evicted.' }),
  })
  .meta({ description: 'How pods are moved, in the words of kubectl drain.' });

const url = z
  .url({ protocol: /^https?$/, error: 'an http or https address' })
  .max(2048, { error: 'an http or https address of at most 2048 characters' })
  .refine((address) => !carriesPassword(address), {
    error:
      'an address without user name and password, which would stand in the history of the run; have a path that needs none answer the probe',
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
        'Requests that may be lost before no further node steps out and the run pauses. What is lost while no node of the run is out is told, but not counted here. Default 0.',
    }),
    watchAfter: wait('The probes go on for so long after everything has been put back.', '30s'),
  })
  .meta({ description: 'The traffic watch.' });

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
          .meta({ description: 'Who runs the pool. Default eks.' }),
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
        description: 'Protective rules to do without; only for experiments that are meant to lose requests.',
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
