import type { Scenario } from '../lab/scenario.ts';
import { demoScenario } from '../lab/scenarios/demo.ts';
import { agent, insideProber, systemNodegroup, webAndApi, webNodegroup } from '../lab/scenarios/parts.ts';

/** The demo's lab with this many old nodes and as many pods of each Service. Twelve old and twelve new nodes don't boot on two cores. */
export function benchScenario(nodes: number): Scenario {
  return {
    ...demoScenario,
    name: `bench-${nodes}`,
    summary: `${nodes} old nodes in two zones, two load balancers, a DaemonSet and a second pool`,
    nodegroups: [webNodegroup(nodes), systemNodegroup()],
    objects: [...webAndApi(nodes), ...agent(), insideProber()],
  };
}
