import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** An address through which a server is reached, and which can be made to reach nobody. */
interface InterruptibleProxy {
  readonly address: string;
  /** Ends all connections, and refuses new ones until `restore`. */
  interrupt(): void;
  restore(): void;
}

/** Opens a way to a server that a test can interrupt. It is closed when the test is over. */
export async function openProxy(to: string): Promise<InterruptibleProxy> {
  const [host = '127.0.0.1', port = ''] = to.split(':');
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    if (!isOpen) return void client.destroy();
    const upstream = connect(Number(port), host);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const interrupt = () => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(() => {
    interrupt();
    server.close();
  });
  return {
    address: `127.0.0.1:${address.port}`,
    interrupt,
    restore: () => {
      isOpen = true;
    },
  };
}
