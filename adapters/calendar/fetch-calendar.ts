import { lookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { NodeferryError } from '../../core/model/problem.ts';
import { carriesPassword, isLinkLocal, isLinkLocalHost } from '../../core/policy/probe-address.ts';
import { printable } from '../../core/text/printable.ts';
import { maxCalendarBytes } from './parse-calendar.ts';

/** Reads calendars from their addresses. */
export interface CalendarReader {
  /**
   * The text of a calendar, at most 1 MiB. Asks the server each time whether it has changed.
   * @throws NodeferryError ProviderUnavailable with the reason, when it can't be read now
   */
  read(url: string): Promise<string>;
}

/** For how long one calendar may be read, ms, redirects included. */
const defaultTimeoutMs = 10_000;
const maxRedirects = 5;

interface Cached {
  readonly etag: string;
  readonly text: string;
}

/** A reader that keeps each calendar in memory, for as long as its server says that it is the same (`ETag`, RFC 9110). */
export function createCalendarReader(timeoutMs = defaultTimeoutMs): CalendarReader {
  const cache = new Map<string, Cached>();
  return {
    async read(url) {
      const cached = cache.get(url);
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await follow(url, cached?.etag, signal);
        if (answer.status === 304 && cached !== undefined) return cached.text;
        if (answer.etag === undefined) cache.delete(url);
        else cache.set(url, { etag: answer.etag, text: answer.text });
        return answer.text;
      } catch (cause) {
        const timedOut = signal.aborted ? `no complete answer within ${timeoutMs / 1000}s` : undefined;
        throw unavailable(url, timedOut ?? (cause instanceof Error ? cause.message : String(cause)), cause);
      }
    },
  };
}

function unavailable(url: string, reason: string, cause: unknown): NodeferryError {
  return new NodeferryError(
    {
      code: 'ProviderUnavailable',
      message: `The calendar ${printable(url, 200)} can't be read: ${printable(reason, 200)}.`,
      hint: 'The worker must be able to read it without authentication; or remove it from spec.schedule.calendars.',
    },
    { cause },
  );
}

interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly text: string;
}

/** Follows redirects, each of which may lead only where the address itself may. */
async function follow(first: string, etag: string | undefined, signal: AbortSignal): Promise<Answer> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    requireAllowed(url);
    const response = await send(new URL(url), etag, signal);
    const status = response.statusCode ?? 0;
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined)
      return await readAnswer(response, status);
    response.destroy();
    url = new URL(location, url).href;
  }
  throw new Error(`it redirects more than ${maxRedirects} times`);
}

function requireAllowed(url: string): void {
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Error('it redirects to an address that is not http or https');
  if (carriesPassword(url)) throw new Error('its address has a user name or password');
  if (isLinkLocal(url)) throw new Error('its address is link-local, or that of an instance metadata service');
}

async function readAnswer(response: IncomingMessage, status: number): Promise<Answer> {
  if (status === 304) {
    response.destroy();
    return { status, etag: undefined, text: '' };
  }
  if (status !== 200) {
    response.destroy();
    throw new Error(`the server answers ${status} ${response.statusMessage ?? ''}`.trimEnd());
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > maxCalendarBytes) throw new Error('it is longer than 1 MiB');
    chunks.push(part);
  }
  return { status, etag: response.headers.etag, text: Buffer.concat(chunks).toString('utf8') };
}

function send(url: URL, etag: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    agent: false,
    signal,
    lookup: lookupAllowed,
    headers: {
      accept: 'text/calendar',
      'accept-encoding': 'identity',
      'user-agent': 'nodeferry-calendar',
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
    },
  };
  const request = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
  request.on('response', resolve);
  request.on('error', reject);
  request.end();
  return promise;
}

/** Resolves the name of a host to the addresses to which a request may go: the connection is made to no other. */
const lookupAllowed: LookupFunction = (host, options, callback) => {
  lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, '');
    const allowed = found.filter(({ address }) => !isLinkLocalHost(address));
    const [first] = allowed;
    if (first === undefined) return callback(new Error(`${host} leads to a link-local address`), '');
    if (options.all === true) return callback(null, allowed);
    return callback(null, first.address, first.family);
  });
};
