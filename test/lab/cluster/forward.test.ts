import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forwardFromLocalhost, forwardFromSocket } from '../../../lab/forward.ts';

let folder = '';
let echo: Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-forward-'));
  // Answers only when the client has said all: both directions of a half-closed connection must get through.
  echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    void text(socket).then((said) => socket.end(`echo ${said}`));
  });
  echo.listen(join(folder, 'echo.sock'));
  await once(echo, 'listening');
});
afterEach(async () => {
  echo.close();
  await rm(folder, { recursive: true });
});

describe('forwards', () => {
  it('carry bytes and half-closes from localhost to a unix socket and on to a port', async () => {
    const last = await forwardFromLocalhost(0, { path: join(folder, 'echo.sock') });
    const middle = await forwardFromSocket(join(folder, 'middle.sock'), { host: '127.0.0.1', port: last.port });
    const first = await forwardFromLocalhost(0, { path: join(folder, 'middle.sock') });
    const socket = connect({ host: '127.0.0.1', port: first.port, allowHalfOpen: true });
    socket.end('hello');
    expect(await text(socket)).toBe('echo hello');
    await Promise.all([first.close(), middle.close(), last.close()]);
  });

  it('break a connection whose other side cannot be reached', async () => {
    const forward = await forwardFromLocalhost(0, { path: join(folder, 'nobody.sock') });
    const socket = connect({ host: '127.0.0.1', port: forward.port });
    const [hadError] = await Promise.race([once(socket, 'close'), once(socket, 'error')]);
    expect(hadError).toBeDefined();
    await forward.close();
  });

  it('close with connections still open', async () => {
    const forward = await forwardFromLocalhost(0, { path: join(folder, 'echo.sock') });
    const socket = connect({ host: '127.0.0.1', port: forward.port });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await forward.close();
    await closed;
  });

  it('take the place of a socket file that a dead process has left', async () => {
    const path = join(folder, 'stale.sock');
    const first = await forwardFromSocket(path, { path: join(folder, 'echo.sock') });
    const second = await forwardFromSocket(path, { path: join(folder, 'echo.sock') });
    const socket = connect({ path, allowHalfOpen: true });
    socket.end('again');
    expect(await text(socket)).toBe('echo again');
    await Promise.all([first.close(), second.close()]);
  });
});
