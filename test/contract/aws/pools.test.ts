/** What every cloud's pools do, as EKS managed node groups do it. */
import { describePoolInstances } from '../cases/pool-instances.ts';
import { describePoolRegrowth } from '../cases/pool-regrowth.ts';
import { describePools } from '../cases/pools.ts';
import { openAwsPools } from './pools-subject.ts';

describePools('EKS', openAwsPools);
describePoolInstances('EKS', openAwsPools);
describePoolRegrowth('EKS', openAwsPools);
