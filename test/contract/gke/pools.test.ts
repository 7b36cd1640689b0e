/** What every cloud's pools do, as node pools of GKE do it. */
import './tls-roots.ts';
import { describePoolInstances } from '../cases/pool-instances.ts';
import { describePoolRegrowth } from '../cases/pool-regrowth.ts';
import { nodePoolsOfGke } from '../cases/pool-traits.ts';
import { describePools } from '../cases/pools.ts';
import { openGkePools } from './pools-subject.ts';

describePools('GKE', openGkePools, nodePoolsOfGke);
describePoolInstances('GKE', openGkePools, nodePoolsOfGke);
describePoolRegrowth('GKE', openGkePools, nodePoolsOfGke);
