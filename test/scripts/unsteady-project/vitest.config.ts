import { defineConfig } from 'vitest/config';

/** Tests that fail on purpose, for the test of how they are repeated: the same ones as two projects. */
export default defineConfig({
  test: {
    projects: ['workflow', 'unit'].map((name) => ({ test: { name, include: ['*.fixture.ts'] } })),
  },
});
