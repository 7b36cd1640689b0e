import type { RuleText } from './rule-text.ts';

/** The rules about Services and their connections. */
export const serviceTexts: Readonly<Record<string, RuleText>> = {
  'SVC-001': {
    severities: ['blocker'],
    title: 'A Service with policy Local that only one node serves',
    why: 'With externalTrafficPolicy: Local only nodes with a ready endpoint serve. While that node leaves, nothing serves.',
    fix: 'Run at least two replicas on different nodes.',
  },
  'SVC-002': {
    severities: ['error'],
    title: 'A zone that only one node serves, without cross-zone balancing',
    why: 'Without cross-zone balancing each address of the load balancer sends to its own zone only. While that node leaves, the address of its zone is not served.',
    fix: 'Enable cross-zone balancing, or run two replicas on different nodes of each zone.',
  },
  'SVC-005': {
    severities: ['error'],
    title: 'A Service that publishes addresses that are not ready',
    why: 'With publishNotReadyAddresses terminating pods stay ready endpoints, so the health check passes until the pod is gone.',
    fix: 'Remove publishNotReadyAddresses from Services behind a load balancer.',
  },
  'SVC-006': {
    severities: ['warning'],
    title: 'A health check that reacts slowly',
    why: 'A load balancer that notices a failed target slowly sends to it for as long.',
    fix: 'Lower the interval or the unhealthy threshold of its health check.',
  },
  'SVC-008': {
    severities: ['warning'],
    title: 'A short deregistration delay',
    why: 'New connections may arrive after deregistration for longer than the target group waits for connections to end.',
    fix: 'Raise the deregistration delay of the target group to 120 seconds or more. nodeferry waits for the propagation in any case.',
  },
  'SVC-017': {
    severities: ['blocker'],
    title: 'A load balancer that takes only nodes of the old pool',
    why: 'The Service selects the nodes that may be targets by a label that no replacement has, such as the name of their pool. Its load balancer would have no target once they are gone.',
    fix: 'Select its nodes by a label of your own that every pool for it carries, or take all nodes.',
  },
  'SVC-018': {
    severities: ['blocker'],
    title: 'A pool whose nodes are excluded from load balancers',
    why: 'The pool gives its nodes the label that load balancers leave out. The new nodes would never become targets, and the run would wait for that.',
    fix: 'Remove the label from the settings of the pool.',
  },
  'SVC-020': {
    severities: ['error'],
    title: 'A LoadBalancer Service without target groups',
    why: 'No target group with nodes or pods as targets was found behind the Service, so their deregistration cannot be observed.',
    fix: 'nodeferry protects Network Load Balancers with instance targets, and load balancers whose controller registers pods. Check the permissions if it is one, and the events of the Service. No patch makes another load balancer of it in place: spec.loadBalancerClass cannot be changed, so give the clients a second Service.',
  },
  'SVC-025': {
    severities: ['warning'],
    title: 'Old and new targets that exceed the limit of a load balancer',
    why: 'Load balancers have a limit of targets. While new nodes exist beside old ones, or where pods are targets, replacements beside their pods, it may be exceeded: new ones are not registered then, and get no traffic.',
    fix: 'Let the new pool grow in smaller waves (spec.nodeSurge; the finding says how many nodes there is room for), have fewer pods surged at a time (spec.podSurge.max) where pods are targets, or have the limit raised. The limits are defaults: an account may have more.',
  },
  'SVC-027': {
    severities: ['blocker', 'error', 'warning'],
    title: 'A Service to which a load balancer other than its own may send',
    why: 'A load balancer that is not derived from a Service may send to it, for example that of an Ingress. Unless it is found, its targets are not observed, so nothing waits for them. The run is refused where an object of the cluster says that there is one that is not found, unless the policy accepts the loss for that Service.',
    fix: 'Have that object send to its pods instead of nodes: the finding says how where its controller can change that. The target type of a TargetGroupBinding cannot be changed: it needs a second one. If a load balancer or a target group of your own sends to it, deregister the nodes there yourself, or do not run.',
  },
  'SVC-028': {
    severities: ['blocker', 'error', 'info'],
    title: 'A load balancer that cannot be protected',
    why: 'What cannot be observed cannot be waited for. The run is refused if its connections pass through the nodes to replace, unless the policy accepts the loss. Otherwise it is left alone.',
    fix: 'Use a Network Load Balancer with instance targets: by a second Service, to which clients can move before the first one goes. Or list the Service in spec.guard.acceptUnprotected: it may lose connections then.',
  },
  'SVC-029': {
    severities: ['warning'],
    title: 'A Service with internalTrafficPolicy: Local',
    why: 'Callers inside the cluster reach only endpoints of their own node. Once its last endpoint has left, their connections are dropped until they leave too.',
    fix: 'Set internalTrafficPolicy to Cluster, or prefer near endpoints with trafficDistribution, unless callers can tolerate that.',
  },
  'SVC-030': {
    severities: ['error'],
    title: 'A load balancer that drains no connections',
    why: 'It cuts the established connections of a node, or of a pod that is a target itself, when it deregisters that, and nothing that nodeferry does keeps them. New connections are protected all the same.',
    fix: 'Give it a time for draining connections, or move the Service to a load balancer that has one. The finding has the exact change where anything sets a time.',
  },
  'SVC-032': {
    severities: ['error', 'warning'],
    title: 'A target group without a healthy target',
    why: 'Some load balancers send to all targets of such a group, others to none. Its targets still leave one after the other, each after it was deregistered, but nothing tells whether their replacements serve. What must keep serving is counted in the other target groups of the Service. Where no group of nodes has a healthy target, their registered targets count instead.',
    fix: 'Fix the health check or what it asks, or remove what registers targets in a group that nothing uses any more, such as a port of the Service. No patch does that: the states in the finding say why the targets fail.',
  },
  'CON-001': {
    severities: ['warning'],
    title: 'Connections of an unknown age',
    why: 'Under policy Cluster, connections pass through a node to pods on other nodes. If nothing is known to end them, they break when the instance of the node is terminated.',
    fix: 'Set spec.waits.maxConnectionAge of the Service to the age at which its server ends connections.',
  },
};
