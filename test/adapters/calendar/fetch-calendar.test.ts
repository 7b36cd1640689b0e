import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createCalendarReader } from '../../../adapters/calendar/fetch-calendar.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/freezes.ics`;
}

test('a calendar is read', async () => {
  const url = await serve((_, response) => response.end('BEGIN:VCALENDAR'));
  expect(await createCalendarReader().read(url)).toBe('BEGIN:VCALENDAR');
});

test('a calendar is sent again only when it has changed', async () => {
  const asked: (string | undefined)[] = [];
  let version = 'one';
  const url = await serve((request, response) => {
    asked.push(request.headers['if-none-match']);
    const etag = `"${version}"`;
    if (request.headers['if-none-match'] === etag) return response.writeHead(304).end();
    return response.writeHead(200, { etag }).end(version);
  });
  const reader = createCalendarReader();
  expect([await reader.read(url), await reader.read(url)]).toEqual(['one', 'one']);
  version = 'two';
  expect(await reader.read(url)).toBe('two');
  expect(asked).toEqual([undefined, '"one"', '"one"']);
});

test('a redirect is followed', async () => {
  const target = await serve((_, response) => response.end('moved'));
  const url = await serve((_, response) => response.writeHead(302, { location: target }).end());
  expect(await createCalendarReader().read(url)).toBe('moved');
});

test.each([
  ['http://169.254.169.254/latest', /link-local/],
  ['http://2852039166/', /link-local/],
  ['http://[fd00:ec2::254]/', /link-local/],
  ['http://user:secret@example.com/', /user name or password/],
  ['file:///etc/passwd', /not http or https/],
])('a redirect to %s is not followed', async (location, expected) => {
  const url = await serve((_, response) => response.writeHead(302, { location }).end());
  await expect(createCalendarReader().read(url)).rejects.toThrow(expected);
});

test('endless redirects end', async () => {
  const url = await serve((_, response) => response.writeHead(302, { location: '/freezes.ics' }).end());
  await expect(createCalendarReader().read(url)).rejects.toThrow('it redirects more than 5 times');
});

test('errors say which calendar and what was got', async () => {
  const url = await serve((_, response) => response.writeHead(404).end('no'));
  await expect(createCalendarReader().read(url)).rejects.toThrow(
    `The calendar ${url} can't be read: the server answers 404 Not Found.`,
  );
});

test('a calendar that is too long is not read to its end', async () => {
  const url = await serve((_, response) => response.end('x'.repeat(1_048_577)));
  await expect(createCalendarReader().read(url)).rejects.toThrow('it is longer than 1 MiB');
});

test('a server that does not answer, or does not come to an end, is given up', async () => {
  const silent = await serve(() => undefined);
  const slow = await serve((_, response) => response.write('BEGIN'));
  for (const url of [silent, slow])
    await expect(createCalendarReader(200).read(url)).rejects.toThrow('no complete answer within 0.2s');
});

test('a host that does not exist is named', async () => {
  await expect(createCalendarReader().read('http://nowhere.invalid/a.ics')).rejects.toThrow(/nowhere\.invalid/);
});
