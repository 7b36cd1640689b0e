import { build } from './build.ts';
import { writeShrinkwrap } from './shrinkwrap.ts';

// npm runs this before it packs: the package contains what was built just now from these sources.
process.exitCode = await build();
if (process.exitCode === 0) writeShrinkwrap();
