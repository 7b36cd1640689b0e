import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePorts, startOnFreePorts } from '../../lab/free-ports.ts';

test('free ports are all different, and can be listened on', async () => {
  const ports = await freePorts(5);
  expect(new Set(ports).size).toBe(5);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(ports[0], '127.0.0.1', resolve));
  await new Promise((resolve) => server.close(resolve));
});

test('a server that ends by itself as it is started is started anew, not for ever', async () => {
  const answers: (string | undefined)[] = [undefined, undefined, 'running'];
  expect(await startOnFreePorts('it', async () => answers.shift())).toBe('running');
  let starts = 0;
  const never = async () => {
    starts += 1;
    return undefined;
  };
  await expect(startOnFreePorts('it', never)).rejects.toThrow('it ended by itself 5 times as it was started');
  expect(starts).toBe(5);
});

test('one that can’t be started is not started anew', async () => {
  let starts = 0;
  const broken = async () => {
    starts += 1;
    throw new Error('no such file');
  };
  await expect(startOnFreePorts('it', broken)).rejects.toThrow('no such file');
  expect(starts).toBe(1);
});
