import { defineConfig } from 'vitest/config';

/** `unit` needs nothing but Node; `workflow` starts a real Temporal server; `e2e` needs root and the lab. */
export default defineConfig({
  test: {
    pool: 'forks',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{core,policy,ports,adapters,activities,client,lab,worker,scripts}/**/*.test.ts'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'workflow',
          globalSetup: ['test/support/temporal-server.ts'],
          include: ['test/{workflows,replay,simulator,contract}/**/*.test.ts'],
          // Their time goes into waiting for the server, not into computing: more files at once than there are cores.
          maxWorkers: 3,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 900_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
