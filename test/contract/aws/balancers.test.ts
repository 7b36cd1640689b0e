/** What every cloud's load balancers tell, as those of ELBv2 tell it. */
import { networkLoadBalancers } from '../cases/balancer-traits.ts';
import { describeBalancers } from '../cases/balancers.ts';
import { openAwsBalancers } from './balancers-subject.ts';

describeBalancers('ELB', networkLoadBalancers, openAwsBalancers);
