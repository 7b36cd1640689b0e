import type { Ports } from '../ports/ports.ts';
import { createEndingSteps } from './ending-steps.ts';
import { createHandOverSteps } from './hand-over-steps.ts';
import { createLooking } from './looking.ts';
import { createNodeSteps } from './node-steps.ts';
import { createPodSteps } from './pod-steps.ts';
import { createPoolSteps } from './pool-steps.ts';
import { createPutBackSteps } from './put-back-steps.ts';
import { createRunSteps } from './run-steps.ts';
import { createStepOutSteps } from './step-out-steps.ts';
import { createSurgeSteps } from './surge-steps.ts';
import { createUnreachableSteps } from './unreachable-steps.ts';
import { createWaking } from './waking.ts';
import { createWatchSteps } from './watch-steps.ts';

/** All steps of an upgrade over one set of ports: what a worker registers. Every step may be carried out more than once. */
export function createActivities(ports: Ports) {
  const looking = createLooking(ports);
  const wake = createWaking(ports);
  return {
    ...createRunSteps(ports, looking),
    ...createWatchSteps(ports, looking),
    ...createSurgeSteps(ports, looking),
    ...createPoolSteps(ports, looking),
    ...createHandOverSteps(ports, looking),
    ...createStepOutSteps(ports, looking, wake),
    ...createNodeSteps(ports, looking),
    ...createPodSteps(ports, looking, wake),
    ...createUnreachableSteps(ports, looking),
    ...createEndingSteps(ports, looking, wake),
    ...createPutBackSteps(ports, looking),
  };
}

/** The steps, as workflow code calls them. */
export type Activities = ReturnType<typeof createActivities>;
