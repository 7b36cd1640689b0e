import { createObserver } from '../operations/observer.ts';
import { createWindowGate } from '../operations/window-gate.ts';
import type { Ports } from '../ports/ports.ts';
import { createAgreements } from './agreements.ts';
import { createEndingSteps } from './ending-steps.ts';
import { createExcludeSteps } from './exclude-steps.ts';
import { createMonitorSteps } from './monitor-steps.ts';
import { createNodeSteps } from './node-steps.ts';
import { createOldPoolSteps } from './old-pool-steps.ts';
import { createPodSteps } from './pod-steps.ts';
import { createPodSurgeSteps } from './pod-surge-steps.ts';
import { createPoolSteps } from './pool-steps.ts';
import { createRestoreSteps } from './restore-steps.ts';
import { createRunSteps } from './run-steps.ts';
import { createSurgeSteps } from './surge-steps.ts';
import { createUnreachableSteps } from './unreachable-steps.ts';
import { createWaking } from './waking.ts';
import { createWindowSteps } from './window-steps.ts';

/** All steps of an upgrade over one set of ports, as a worker registers them. Every step may run more than once. */
export function createActivities(ports: Ports) {
  const observer = createObserver(ports);
  const wake = createWaking(ports);
  const gate = createWindowGate(ports);
  const agreements = createAgreements();
  return {
    ...createRunSteps(ports, observer),
    ...createMonitorSteps(ports, observer),
    ...createSurgeSteps(ports, observer),
    ...createPoolSteps(ports, observer),
    ...createOldPoolSteps(ports, observer),
    ...createPodSurgeSteps(ports, { observer, agreements }),
    ...createExcludeSteps(ports, { observer, wake, gate, agreements }),
    ...createNodeSteps(ports, observer),
    ...createPodSteps(ports, observer, wake),
    ...createUnreachableSteps(ports, observer),
    ...createEndingSteps(ports, observer, wake),
    ...createRestoreSteps(ports, observer),
    ...createWindowSteps(ports, gate),
  };
}

/** The steps, as workflow code calls them. */
export type Activities = ReturnType<typeof createActivities>;
