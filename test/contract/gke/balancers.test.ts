/** What every cloud's load balancers tell, as those of Google with groups of nodes tell it. */
import './tls-roots.ts';
import { passthroughLoadBalancers } from '../cases/balancer-traits.ts';
import { describeBalancers } from '../cases/balancers.ts';
import { openGoogleBalancers } from './balancers-subject.ts';

describeBalancers('Google', passthroughLoadBalancers, openGoogleBalancers);
