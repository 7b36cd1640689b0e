import { expect, test } from 'vitest';
import { createLogger, temporalLogger } from '../../worker/logging.ts';

function logged(write: (logger: ReturnType<typeof temporalLogger>) => void): readonly unknown[] {
  const lines: unknown[] = [];
  write(temporalLogger(createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line)) })));
  return lines;
}

test('levels are words', () => {
  expect(logged((logger) => logger.warn('observed', { why: 'x' }))).toMatchObject([
    { level: 'warn', msg: 'observed', why: 'x', app: 'nodeferry-worker' },
  ]);
});

test('what says nothing to a reader is left out', () => {
  const lines = logged((logger) => {
    logger.warn('No workflows registered, not polling for workflow tasks');
    logger.info('Activity failed', { taskToken: 'CiQwMTJ', activityId: '7' });
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ activityId: '7' });
  expect(lines[0]).not.toHaveProperty('taskToken');
});
