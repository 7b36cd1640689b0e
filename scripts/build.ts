import { build } from './release/build.ts';

// npm run build: the product as JavaScript, under dist/.
process.exitCode = await build();
