/** The simulator's pools do what every cloud's do. */
import { describePoolInstances } from '../cases/pool-instances.ts';
import { describePoolRegrowth } from '../cases/pool-regrowth.ts';
import { describePools } from '../cases/pools.ts';
import { openSimulatedPools } from './pools-subject.ts';

describePools('the simulator', openSimulatedPools);
describePoolInstances('the simulator', openSimulatedPools);
describePoolRegrowth('the simulator', openSimulatedPools);
