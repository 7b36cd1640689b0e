import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { NodeferryError } from '../../core/model/problem.ts';
import { serveHealth } from '../../worker/health.ts';

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function serve(isReady: () => boolean): Promise<string> {
  const server = await serveHealth({ host: '127.0.0.1', port: 0 }, isReady);
  open.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('serveHealth', () => {
  test('is live at once and ready only when the worker takes work', async () => {
    let ready = false;
    const url = await serve(() => ready);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    ready = true;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/other`)).status).toBe(404);
  });

  test('says how to get out of the way when the address is taken', async () => {
    const port = Number(new URL(await serve(() => true)).port);
    const refused = await serveHealth({ host: '127.0.0.1', port }, () => true).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NodeferryError);
    expect((refused as NodeferryError).problem.hint).toContain('NODEFERRY_HEALTH_ADDRESS');
  });
});
