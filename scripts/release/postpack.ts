import { removeShrinkwrap } from './shrinkwrap.ts';

// npm runs this after it has packed.
removeShrinkwrap();
