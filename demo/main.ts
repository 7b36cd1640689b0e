/** `npm run demo`: a live node pool behind two load balancers is replaced under traffic, and the loss is counted. */
import { runInterruptibly } from '../lab/interrupted.ts';
import { readDemoOptions } from './options.ts';
import { trustSimulatedGoogle } from './trust-google.ts';

const options = readDemoOptions(process.argv);
if (options.cloud === 'gke') trustSimulatedGoogle();
const { demo } = await import('./demo.ts');
await runInterruptibly((signal) => demo(options, signal));
