import { z } from 'zod';
import { ruleTexts } from '../core/plan/audit/rule-texts.ts';
import { defaultPropagationMs, maxReasonLength, podSurgeModes } from '../core/policy/policy.ts';
import type { DeadlineSpec } from '../core/steps/step-spec.ts';
import { deadlines, protectiveRules } from '../core/steps/steps.ts';
import {
  choice,
  deadline,
  duration,
  flag,
  name,
  objectKey,
  oneOf,
  plainUrl,
  share,
  text,
  wait,
  whole,
} from './fields.ts';
import type { ProviderSection } from './providers/section.ts';
import { rollout } from './rollout-fields.ts';
import { schedule } from './schedule-fields.ts';

/** `apiVersion` of the written form. */
const policyApiVersion = 'nodeferry.dev/v1alpha1';

const minServingAllowed = 'a whole number of serving targets, such as 3, or a share, such as 50%';
const serviceOrAll = text("a Service as namespace/name, or '*'", /^(\*|[a-z0-9.-]+\/[a-z0-9.-]+)$/, 317);

const targetOf = ({ poolName, target }: ProviderSection) =>
  z
    .strictObject({
      poolName: poolName(
        'Name of the replacement pool. Default: the name of the old pool with the new version, e.g. web-1-34.',
      ).optional(),
      adopt: flag(
        'The pool exists already: the run uses its nodes as the new ones, requests the instances that it lacks, and never deletes it. It stays as it is otherwise, so no other setting of spec.target is allowed but poolName, which is required.',
      ),
      version: text('a Kubernetes version in quotes, such as "1.34"', /^1\.[1-9]\d{0,2}$/, 16)
        .meta({
          description:
            'Kubernetes version of the new nodes, in quotes, e.g. "1.34". Default: the version of the old pool.',
        })
        .optional(),
      ...target,
    })
    .meta({ description: 'Settings of the new pool. Whatever is not set here is copied from the old pool.' });

const surgeAllowed = 'a whole number of instances from 1 to 1000, or a share from 1% to 100%, such as 25%';
const nodeSurge = z
  .union([whole(1, 1000, surgeAllowed), share(surgeAllowed).regex(/[1-9]/, { error: surgeAllowed })], {
    error: surgeAllowed,
  })
  .default('100%')
  .meta({
    description:
      'How many new instances may run at a time in addition to those of the old pool: a number, or a share of the size of the old pool. Below 100% the new pool grows in waves: the next wave starts when old instances have terminated. Default 100%.',
  });

const guard = z
  .strictObject({
    defaultMinServing: share('a share from 0% to 100%, such as 75%').default('75%').meta({
      description:
        'Share of the serving targets of a Service that must keep serving. Applies to Services for which neither minServing nor a PodDisruptionBudget sets a minimum. Default 75%.',
    }),
    maxInFlight: whole(1, 1000).optional().meta({
      description:
        'The most nodes that may be in progress at the same time. Default 100, because pod surge starts the replacements before pods leave; 10 when podSurge is off for all workloads.',
    }),
    minServing: z
      .record(
        objectKey('Service'),
        z.union([whole(1, 100_000), share(minServingAllowed)], { error: minServingAllowed }),
        {
          error: 'Services with the targets that must keep serving',
        },
      )
      .default({})
      .meta({
        description:
          'Minimum serving by Service: how many of its targets must keep serving, as a number or as a share of its baseline, which is the most targets that were observed to serve.',
      }),
    acceptUnprotected: z
      .array(objectKey('Service'), { error: 'a list of Services as namespace/name' })
      .default([])
      .meta({
        description:
          'Services that may lose connections. The run is refused if a Service has endpoints or targets in the pool and cannot be protected (behind a Classic Load Balancer, or pods as targets that can neither be removed from endpoints nor serve on for long enough), unless the Service is listed here.',
      }),
  })
  .meta({ description: 'The capacity guard: how much must keep serving during the run.' });

/** The deadlines of all steps, as fields with their defaults. */
export function deadlineFields<Field extends string>(specs: readonly (DeadlineSpec & { readonly field: Field })[]) {
  const entries = specs.map(({ field, description, fallback }) => [field, deadline(description, fallback)]);
  return Object.fromEntries(entries) as Record<Field, ReturnType<typeof deadline>>;
}

const stepDeadlines = z.strictObject(deadlineFields(deadlines)).meta({
  description: 'A run that reaches one of these deadlines is stalled and waits for an operator. Nothing is forced.',
});

const waits = z
  .strictObject({
    propagation: wait(
      'How long new connections may still arrive after a target was deregistered (Network Load Balancer: about 2 minutes).',
      `${defaultPropagationMs / 1000}s`,
    ),
    endpointPropagation: wait('How long a change of endpoints takes to reach every kube-proxy.', '3s'),
    margin: wait('A safety margin, added to every timer.', '15s'),
    pollInterval: wait('Time between two observations of the load balancers and the cluster.', '15s', 100),
    stabilization: wait('How long observations must agree before a node is excluded.', '5s'),
    stabilizationAfterOutage: wait(
      'How long no node is excluded after an outage of the API server, or after many nodes became unreachable at once. After an outage of the API server no pod is stopped either until endpointPropagation and margin have passed in addition, because kube-proxies take up to a minute to reconnect. `0s` switches both off.',
      '60s',
    ),
    maxConnectionAge: z
      .record(serviceOrAll, duration('Age at which the servers of the Service close a connection.'), {
        error: 'Services with a duration',
      })
      .default({})
      .meta({
        description:
          "Age at which the servers of a Service close their connections, by Service. '*' stands for all other Services. Only needed for Services with externalTrafficPolicy Cluster.",
      }),
    deadlines: stepDeadlines.prefault({}),
  })
  .meta({ description: 'Waits that cannot be read from the load balancers, and deadlines.' });

const podSurgeAllowed = 'maxSurge, or a share from 0% to 100%, such as 50%';
const max = z.union([z.literal('maxSurge'), share(podSurgeAllowed)], { error: podSurgeAllowed });

const podSurge = z
  .strictObject({
    mode: choice(
      podSurgeModes,
      'auto: start replacements before the old pods leave, and evict the pods for which that is not possible within their budgets. required: refuse the run unless it is possible for all pods. off: evict all pods within their budgets.',
      'auto',
    ),
    max: max.default('maxSurge').meta({
      description:
        'How many pods above its replicas a Deployment may have during pod surge: as many as in its own rollouts (maxSurge), or a share of its replicas. With 100% all nodes can leave in one batch. Default maxSurge.',
    }),
    workloads: z
      .record(
        objectKey('Deployment'),
        z.strictObject({
          mode: oneOf(podSurgeModes)
            .optional()
            .meta({ description: 'Default: the same as for all other Deployments.' }),
          max: max.optional().meta({ description: 'Default: the same as for all other Deployments.' }),
        }),
        { error: 'Deployments with their own mode or max' },
      )
      .default({})
      .meta({ description: 'Exceptions by Deployment.' }),
  })
  .meta({ description: 'Pod surge: whether replacements start before the old pods leave.' });

const drain = z
  .strictObject({
    deleteEmptyDirData: flag('Evict pods with emptyDir volumes. Their data is lost.'),
    force: flag('Evict pods that have no controller. Nothing starts them again.'),
    doNotDisrupt: choice(
      ['refuse', 'wait', 'evict'],
      'Pods and nodes that must not be disrupted (annotation cluster-autoscaler.kubernetes.io/safe-to-evict: "false" or karpenter.sh/do-not-disrupt). refuse: refuse the run. wait: wait until the pods end. evict: evict them anyway.',
      'refuse',
    ),
    jobs: choice(
      ['evict', 'wait'],
      'Pods of Jobs. evict: evict them; their work starts again from the beginning. wait: wait until they end.',
      'evict',
    ),
    unreachableNodes: choice(
      ['ask', 'terminate'],
      'Nodes whose kubelet has not reported for 5 minutes, which fail the health checks of all load balancers, and whose pods cannot end. ask: ask an operator to terminate the instance. terminate: terminate it like any other, unless a fifth of all nodes is unreachable. The run continues with other nodes in both cases.',
      'ask',
    ),
    keepEndpoints: z.array(objectKey('workload'), { error: 'a list of workloads as namespace/name' }).default([]).meta({
      description: 'Workloads whose pods keep their labels, and so stay in their endpoints, until they are evicted.',
    }),
  })
  .meta({ description: 'How pods are evicted, in the words of kubectl drain.' });

const url = plainUrl('probe a path that needs no authentication');

const probe = z.strictObject({
  name: name('Name of the probe, as shown in status and report.', 63),
  urls: z
    .array(url, { error: 'a list of http or https addresses' })
    .min(1, { error: 'at least one address' })
    .meta({ description: 'http or https addresses. Requests go to each in turn.' }),
  ratePerSecond: z
    .number({ error: 'a number above 0, at most 1000' })
    .positive({ error: 'a number above 0, at most 1000' })
    .max(1000, { error: 'a number above 0, at most 1000' })
    .default(1)
    .meta({ description: 'New connections per second. Default 1.' }),
  timeout: wait('A request without a response after this time counts as lost.', '5s'),
});

const traffic = z
  .strictObject({
    probes: z
      .array(probe, { error: 'a list of probes' })
      .default([])
      .meta({ description: 'Requests that the worker sends during the run to find lost connections.' }),
    lossBudget: whole(0, 1_000_000_000).default(0).meta({
      description:
        'How many requests may be lost before the run pauses and excludes no further node. Requests that are lost while no node of the run is excluded are reported, but do not count. Default 0.',
    }),
    watchAfter: wait('How long the probes continue after the run has cleaned up.', '30s'),
  })
  .meta({ description: 'The traffic watch: probes that count lost requests.' });

const accept = z
  .partialRecord(
    oneOf([...ruleTexts.keys()], 'the id of a rule, such as SVC-028; all rules: docs/audit.md'),
    name('Why.', maxReasonLength),
    { error: 'the ids of rules, each with the reason' },
  )
  .meta({
    description:
      'Rules whose findings are accepted, by their ids, each with the reason, which the plan and the report repeat. A blocker is accepted only where the run can go on: SVC-027, SVC-028 and WKL-034, whose Services may lose connections then. Others have to be fixed.',
  });

/**
 * The written form of a policy for one provider. `spec.pool.provider` decides which one it is: so a mistake is reported against the fields of that
 * provider alone, and every field of the others is unknown.
 */
export type PolicySchema = ReturnType<typeof createPolicySchema>;

/** Makes the schema for a provider. `providers`: all that a policy can name, the first of them where it names none. */
export function createPolicySchema(provider: string, section: ProviderSection, providers: readonly string[]) {
  const [first] = providers;
  const named = z.literal(provider, { error: providers.join(', ') });
  const meaning = { description: `Cloud service that manages the pool. Default ${first}.` };
  return z
    .strictObject({
      apiVersion: z.literal(policyApiVersion, { error: policyApiVersion }),
      kind: z.literal('PoolUpgrade', { error: 'PoolUpgrade' }),
      metadata: z.strictObject({ name: name('Name of the policy.', 63) }),
      spec: z.strictObject({
        cluster: z.strictObject({
          name: section.clusterName,
          region: section.region,
          ...section.cluster,
        }),
        pool: z.strictObject({
          provider: named.default(provider).meta(meaning),
          name: section.poolName('Name of the pool to replace.'),
        }),
        target: targetOf(section).prefault({}),
        nodeSurge,
        guard: guard.prefault({}),
        waits: waits.prefault({}),
        drain: drain.prefault({}),
        podSurge: podSurge.prefault({}),
        traffic: traffic.prefault({}),
        schedule: schedule.optional(),
        rollout: rollout.optional(),
        accept: accept.default({}),
        disabledRules: z
          .array(oneOf(protectiveRules.map(({ id }) => id)), { error: 'a list of rules' })
          .default([])
          .meta({
            description: 'Protective rules to disable. Only for experiments that are meant to lose requests.',
          }),
      }),
    })
    .meta({ title: 'PoolUpgrade', description: 'Replaces every node of a pool without losing a connection.' });
}

/** The written form of a policy, with defaults filled in. */
export type WrittenPolicy = z.output<PolicySchema>;
