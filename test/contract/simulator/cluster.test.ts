/** The simulator that workflow tests run in answers as a real API server does. */
import { describeLocks } from '../cases/locks.ts';
import { describeNodeOwnership } from '../cases/node-ownership.ts';
import { describePodsLeaving } from '../cases/pods-leaving.ts';
import { simulateCluster } from './subject.ts';

const [locks, nodes, pods] = [simulateCluster(), simulateCluster(), simulateCluster()];

describeLocks('the simulator', () => locks);
describeNodeOwnership('the simulator', () => nodes);
describePodsLeaving('the simulator', () => pods);
