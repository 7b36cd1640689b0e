/** The simulator's load balancers tell what every cloud's do. */
import { networkLoadBalancers } from '../cases/balancer-traits.ts';
import { describeBalancers } from '../cases/balancers.ts';
import { openSimulatedBalancers } from './balancers-subject.ts';

describeBalancers('the simulator', networkLoadBalancers, openSimulatedBalancers);
