import { describe, expect, test } from 'vitest';
import { packagesLoadedBy } from '../support/loaded-modules.ts';

const nobodyListens = { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_CONFIG_FILE: '/nonexistent/temporal.toml' };

/** What a command loads takes most of its time. A name that is missing here is one that nobody waits for. */
describe('a command loads only the packages that it uses', () => {
  test.each([
    [['--help']],
    [['--version']],
    [['version']],
    [['upgrade', '--help']],
    [['audit', '--help']],
    [['schedule', '--help']],
    [['wrong']],
  ])('%s: what reads the command line', (args) => {
    expect(packagesLoadedBy(args)).toEqual(['commander']);
  });

  test('validate: what reads a policy', () => {
    expect(packagesLoadedBy(['validate', '-f', 'examples/production.yaml'])).toEqual([
      'ansi-regex',
      'commander',
      'get-east-asian-width',
      'ical.js',
      'string-width',
      'strip-ansi',
      'temporal-polyfill',
      'temporal-utils',
      'yaml',
      'zod',
    ]);
  });

  test.each([[['status', 'prod/web']], [['list']], [['version', '--server']], [['pause', 'prod/web']]])(
    '%s: what talks to Temporal, nothing of Kubernetes, of a cloud or of a worker, and nothing that reads a policy',
    (args) => {
      const packages = packagesLoadedBy(args, nobodyListens);
      expect(packages).toContain('@temporalio/client');
      const unused =
        /kubernetes|aws|smithy|@temporalio\/(worker|workflow|activity|core-bridge)|zod|yaml|ical|polyfill|log-update/;
      expect(packages.filter((name) => unused.test(name))).toEqual([]);
    },
  );
});
