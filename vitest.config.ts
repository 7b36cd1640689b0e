import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests that need a Temporal server, and tests that need root and the lab. All others are unit tests, in whatever folder they are. */
const workflowTests = 'test/{workflows,replay,simulator,support,contract,package}/**/*.test.ts';
const e2eTests = 'test/e2e/**/*.test.ts';
const matrixTests = 'test/matrix/**/*.test.ts';
const googleControllerTests = 'test/google-controllers/**/*.test.ts';

/** Workflow tests that have more to play than they do in `npm test`. */
const everyStepTests = globSync('test/workflows/**/*.test.ts', { cwd: import.meta.dirname }).filter((path) =>
  readFileSync(join(import.meta.dirname, path), 'utf8').includes('support/extent.ts'),
);

/** How tests run that need the Temporal server. */
const onTemporal = {
  globalSetup: ['test/support/temporal-server.ts'],
  execArgv: [`--import=${new URL('test/support/no-promise-stacks.ts', import.meta.url).href}`],
  // Their time goes into waiting for the server, not into computing: more files at once than there are cores.
  maxWorkers: 3,
  // For tests that hang: far above what any takes where others keep the machine busy.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // What a real API server's controllers do takes as long as it takes; the default is a second.
  expect: { poll: { timeout: 60_000 } },
};

/**
 * `unit` needs nothing but Node; `workflow` and `every-step` start a real Temporal server; `e2e` and `matrix` need root and the lab;
 * `google-controllers` needs the controllers of GKE, which take minutes to build.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [workflowTests, e2eTests, matrixTests, googleControllerTests],
          // Loading the modules anew for each file takes as long as the tests. They leave nothing behind in them.
          isolate: false,
          // More than there are cores: a third of their time goes into waiting for processes and sockets.
          maxWorkers: 4,
          // For tests that hang: a property that computes for fifteen seconds takes minutes where others keep the machine busy.
          testTimeout: 300_000,
        },
      },
      {
        test: { ...onTemporal, name: 'workflow', include: [workflowTests] },
      },
      {
        test: {
          name: 'e2e',
          include: [e2eTests],
          setupFiles: ['test/support/own-lab.ts'],
          // These labs take 60 % of two cores. Side by side, two are no faster than one after the other, and what waits in them waits for seconds.
          maxWorkers: 1,
          testTimeout: 900_000,
          hookTimeout: 900_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'google-controllers',
          include: [googleControllerTests],
          fileParallelism: false,
          // The first one builds the controllers.
          testTimeout: 600_000,
          hookTimeout: 3_600_000,
          // A controller makes a dozen calls for one Service, each followed by a second of waiting for its operation, and serves one after another.
          expect: { poll: { timeout: 300_000, interval: 200 } },
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'worlds',
          include: [
            'test/core/guard/min-serving-holds.property.test.ts',
            'test/core/schedule/windows.property.test.ts',
            'test/activities/pod-surge.property.test.ts',
          ],
          env: { NODEFERRY_PROPERTY_RUNS: '20000' },
          // Far above what any takes: a guard of tests that hang.
          testTimeout: 4 * 3_600_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'matrix',
          include: [matrixTests, 'test/e2e/{upgrades,negative-controls,demo}.test.ts'],
          setupFiles: ['test/support/own-lab.ts'],
          maxWorkers: 2,
          env: { NODEFERRY_MATRIX: 'yes' },
          testTimeout: 900_000,
          hookTimeout: 900_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...onTemporal,
          name: 'every-step',
          include: everyStepTests,
          env: { NODEFERRY_MATRIX: 'yes' },
          sequence: { groupOrder: 5 },
        },
      },
    ],
  },
});
