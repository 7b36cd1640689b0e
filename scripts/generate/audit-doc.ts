import type { Rule } from '../../core/audit/rule.ts';
import { table } from './steps-doc.ts';

const introduction = `# Rules of the audit

Generated from the list of rules by \`npm run gen\`.

\`nodeferry audit\` answers one question: would the replacement of nodes lose connections in this cluster, and what is the
fix? It reads the cluster and its load balancers with your credentials, needs no Temporal and no policy, and changes
nothing. [The command line](cli.md#audit) has its options, \`nodeferry explain RULE\` shows one rule.
[What the audit does not check](audit-limits.md) says which questions it cannot answer.

| severity | meaning |
|---|---|
| blocker | a node cannot be replaced, or nothing serves meanwhile |
| error | connections are lost when a node is replaced |
| warning | they may be lost, or other tools may lose them |
| info | worth knowing |

A rule with *plan* also decides whether \`nodeferry upgrade\` may start: its findings are those of \`nodeferry plan\`, about
the whole cluster. The others are about what drains nodes without nodeferry (\`kubectl drain\`, autoscalers, upgrades of
the cloud), and about settings that a run works around but that harm at other times.

A rule with *load balancers* is left out when they cannot be read, and the audit says so.

## How long a pod must serve after it was told to stop

| the pod is behind | preStop time that it needs |
|---|---|
| a Service with policy Cluster, or none of a load balancer | 3 s: until every kube-proxy has the new endpoints |
| a Service with policy Local, nodes as targets | 3 s + max((U + 1) · I, U · I + t) + the lag of the load balancer + 2 s |
| a Network Load Balancer that sends to pods | 15 s until the controller deregisters it + 180 s of propagation |
| an Application Load Balancer that sends to pods | 15 s + 10 s |
| network endpoint groups of pods on GKE | 30 s + 10 s |

I is the interval of the health check, t its timeout and U its unhealthy threshold, as read from the load balancer. The
lag is how long new connections arrive after it has found a target unhealthy: 40 s for Network Load Balancers, 5 s
otherwise. So a Network Load Balancer that checks every 10 s, with 2 failures, needs 75 s. nodeferry needs none of that,
because it excludes the node before it evicts a pod.
`;

/** The page that describes every rule, made from the list. */
export function auditDoc(rules: readonly Rule[]): string {
  return [
    introduction,
    '## All rules\n',
    ...table(
      ['rule', 'severity', 'finds', 'in', 'needs'],
      rules.map(({ id, severities, title, inPlan = false, needsLoadBalancers = false }) => [
        `[${id}](#${id.toLowerCase()})`,
        severities.join(', '),
        title,
        inPlan ? 'audit, plan' : 'audit',
        needsLoadBalancers ? 'load balancers' : '',
      ]),
    ),
    '',
    ...rules.flatMap(({ id, title, why, fix, source }) => [
      `### ${id}\n`,
      `${title}.\n`,
      `${why}\n`,
      `*Fix*: ${fix}\n`,
      `*Source*: ${source}.\n`,
    ]),
  ].join('\n');
}
