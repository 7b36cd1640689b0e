/** The simulator's load balancers tell what every cloud's do. */
import { describeBalancers } from '../cases/balancers.ts';
import { openSimulatedBalancers } from './balancers-subject.ts';

describeBalancers('the simulator', openSimulatedBalancers);
