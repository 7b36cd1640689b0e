import type { RuleText } from './rule-text.ts';

/** The rules about the pool, the guard and the policy. */
export const poolTexts: Readonly<Record<string, RuleText>> = {
  'INF-003': {
    severities: ['blocker', 'error'],
    title: 'A pool that is not active',
    why: 'A pool that its cloud is changing, or that is broken, cannot be replaced now.',
    fix: 'Wait until the cloud has finished, or repair the pool.',
  },
  'INF-004': {
    severities: ['warning'],
    title: 'Nodes that somebody else has marked',
    why: 'Somebody else has excluded or cordoned these nodes. They count as out or leave soon, and the run never restores them.',
    fix: 'Find out who has marked them and why: capacity may be reduced already.',
  },
  'INF-006': {
    severities: ['warning', 'info'],
    title: 'Subnets with too few free addresses',
    why: 'New nodes and their pods need addresses while the old ones still have theirs. Without one, no instance starts, and a pod stays in ContainerCreating although it is scheduled.',
    fix: 'Let the new pool grow in waves (spec.nodeSurge), free addresses, or adopt a pool in other subnets.',
  },
  'INF-008': {
    severities: ['error'],
    title: 'A webhook that answers from a node to replace only',
    why: 'The webhook is called for each new pod and fails closed. While its only pod moves no pod can be created, including its own replacement.',
    fix: 'Give it a second replica on another node, let pod surge replace it, or have the webhook exempt its namespace.',
  },
  'INF-009': {
    severities: ['warning'],
    title: 'A part of the API that one pod on a node to replace serves',
    why: 'Some resources of the API, such as the metrics of pods, are answered by pods of the cluster. While the only one moves, whoever reads them gets errors: autoscalers stand still, and clients that list all resources fail.',
    fix: 'Give it a second replica on another node, or let pod surge replace it.',
  },
  'INF-012': {
    severities: ['blocker', 'warning'],
    title: 'Instances and nodes that do not match',
    why: 'The pool has no node in the cluster, so there is nothing to replace; or an instance of the pool has not joined the cluster, and ends when the pool is deleted.',
    fix: 'Check the names of cluster and pool in the policy, or find out why the instance has not joined.',
  },
  'INF-013': {
    severities: ['blocker', 'warning'],
    title: 'Nodes that ask not to be disrupted',
    why: 'An annotation on the node asks not to disrupt it. spec.drain.doNotDisrupt decides whether the run is refused, waits or continues.',
    fix: 'Remove the annotation, or set spec.drain.doNotDisrupt to wait or evict.',
  },
  'INF-014': {
    severities: ['blocker'],
    title: 'A pool that is too large for one run',
    why: 'A run keeps all of its nodes in one workflow. One that is too large for that would stop half way, and could neither continue nor roll back.',
    fix: 'Let the new pool grow in fewer waves (spec.nodeSurge), or divide the pool.',
  },
  'INF-015': {
    severities: ['warning', 'info'],
    title: 'A resource that may not be read',
    why: 'The role of nodeferry may not list this resource. The run proceeds without it, and the plan does not know what depends on it.',
    fix: 'Allow the role to list it, as the manifests in deploy do.',
  },
  'INF-016': {
    severities: ['warning'],
    title: 'Windows nodes',
    why: 'Nothing here depends on the operating system of a node as far as is known, but nodeferry has been tried on Linux only.',
    fix: 'Try with a pool that may lose requests first.',
  },
  'INF-017': {
    severities: ['blocker'],
    title: 'The new pool exists already',
    why: 'A run creates its own pool unless it is told to adopt one, but a pool with the name of the new one exists already. A run that skipped nodes leaves one: the old pool stays with these nodes, beside the new one.',
    fix: 'Give the new pool another name in spec.target.poolName, or set spec.target.adopt to move to the pool that exists.',
  },
  'INF-018': {
    severities: ['blocker'],
    title: 'Nodes to drain that another run has marked',
    why: 'Another run works on the node, or has left its ownership marks there. Two runs must not act on one node.',
    fix: 'Let that run finish or abort it; remove what a dead run has left with nodeferry cleanup.',
  },
  'INF-019': {
    severities: ['blocker'],
    title: 'A pool to adopt that cannot replace the old one',
    why: 'spec.target.adopt says that the new pool exists. It does not, is not ready, or cannot take the pods of the old nodes: it may have too few instances, lacks a zone, or another run moves nodes to it.',
    fix: 'The finding says what is missing. Without spec.target.adopt the run creates the pool.',
  },
  'INF-020': {
    severities: ['blocker'],
    title: 'A pool that cannot be replaced as the policy says',
    why: 'Its provider lacks what this takes, such as replacing a pool under its own name. Or the new pool has the name of the old one while an instance of the pool is not a node yet, which would be taken for a new one when it joins.',
    fix: 'The finding says what is missing. Give the new pool another name in spec.target.poolName, or wait until all instances of the pool have joined.',
  },
  'INF-021': {
    severities: ['warning'],
    title: 'A pool whose zones have different numbers of nodes',
    why: 'Some clouds spread new instances evenly over the zones, so that a zone may get fewer nodes than it had. Others give all zones the same number, so that the new pool may be larger than the old one.',
    fix: 'Spread the old pool evenly over its zones, or adopt a pool that is as you need it.',
  },
  'INF-022': {
    severities: ['error', 'info'],
    title: 'Load balancers that are attached to the pool itself',
    why: 'The cloud registers every instance of the pool with them, whatever Services say: target groups of an Auto Scaling group, backend services and target pools of managed instance groups. A new pool is attached to none: once the old nodes are gone, they have no target. Nothing waits for them either while a node leaves.',
    fix: 'Attach the new pool to them too as soon as it exists, or let the run adopt a pool that is attached already (spec.target.adopt).',
  },
  'GRD-002': {
    severities: ['blocker'],
    title: 'A drain that would leave a load balancer without targets',
    why: 'Nothing takes the place of drained nodes, and under policy Cluster every node is a target. With the last one the load balancer has nowhere to send to.',
    fix: 'Add nodes first, or drain fewer.',
  },
  'GRD-003': {
    severities: ['blocker'],
    title: 'A drain that would leave a zone without a candidate node',
    why: 'Where load balancers have pods as targets, their controller may take all pods of a zone out, healthy or not, once no node of the zone is Ready and included.',
    fix: 'Have a node in the zone that stays, or drain fewer.',
  },
  'GRD-001': {
    severities: ['blocker'],
    title: 'Nodes that the minimum serving never lets leave',
    why: 'Even with perfect progress the minimum serving or a budget never lets some node leave, so the run could not end.',
    fix: 'Lower the minimum serving (spec.guard), add replicas, or surge pods (spec.podSurge). The plan says which of these helps.',
  },
  'HND-001': {
    severities: ['blocker'],
    title: 'Pods that the policy requires to be surged, and that cannot be',
    why: 'spec.podSurge requires that replacements start before these pods leave, and that is not possible for them.',
    fix: 'Set mode auto for the workload in spec.podSurge.workloads: it is evicted within its budgets then.',
  },
  'POL-001': {
    severities: ['warning'],
    title: 'A Service that the pool does not carry',
    why: 'The policy names a Service that the pool does not carry, or that does not exist. Most often the name is misspelt.',
    fix: 'Correct the name. The finding lists the Services of the pool.',
  },
  'POL-002': {
    severities: ['error'],
    title: 'Protective rules that are disabled',
    why: 'A rule in spec.disabledRules does not protect this run: connections can be lost.',
    fix: 'Remove it from spec.disabledRules, which is meant for experiments.',
  },
  'POL-003': {
    severities: ['error'],
    title: 'A protection that is set to zero',
    why: 'A timer of 0s or a minimum serving of zero disables a protection, as a disabled rule does.',
    fix: 'Leave the field out: its default is made for the cloud. Measure before you shorten it.',
  },
  'POL-004': {
    severities: ['warning'],
    title: 'A Deployment that does not exist',
    why: 'spec.podSurge.workloads names a Deployment that the cluster does not have. Most often the name is misspelt.',
    fix: 'Compare with: kubectl get deployments -A',
  },
};
