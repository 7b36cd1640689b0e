import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ServerTls } from '../../certificates.ts';
import { HttpError } from '../errors.ts';
import { testIamPermissions } from '../permissions.ts';
import { serveHttp } from '../serve-http.ts';
import type { ComputeCall } from './call.ts';
import { findRoute } from './routes.ts';

/** One call that arrived; the method is `GET …` with its path where it has no model. */
interface HttpCall extends ComputeCall {
  readonly method: string;
  readonly userAgent: string;
}

/** Serves Compute Engine and one method of Resource Manager. `handle` answers, or returns `lost` for no answer. */
export async function serveCompute(
  project: string,
  handle: (call: HttpCall) => Promise<object | 'lost'>,
  tls: ServerTls | undefined,
) {
  return await serveHttp(async (request, response) => await answer(project, handle, request, response), tls);
}

async function answer(
  project: string,
  handle: (call: HttpCall) => Promise<object | 'lost'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const body = await text(request);
  try {
    const result = await handle(readCall(project, request, pathname, searchParams, body));
    if (result === 'lost') return void response.destroy();
    send(response, 200, result);
  } catch (error) {
    const known =
      error instanceof HttpError ? error : new HttpError(500, 'internalError', (error as Error).stack ?? '');
    send(response, known.status, errorBody(known));
  }
}

function readCall(
  project: string,
  { method: verb = 'GET', headers }: IncomingMessage,
  pathname: string,
  query: URLSearchParams,
  body: string,
): HttpCall {
  if (verb === 'POST' && pathname === `/v1/projects/${project}:testIamPermissions`) {
    return {
      method: testIamPermissions,
      path: {},
      query,
      body: parseBody(body),
      userAgent: headers['user-agent'] ?? '',
    };
  }
  // Clients of the GCE cloud provider ask for some resources by the beta or alpha version; what is modelled is the same in all.
  const [, named, path = ''] = /^\/compute\/(?:v1|beta|alpha)\/projects\/([^/]+)\/?(.*)$/.exec(pathname) ?? [];
  const route = named === project ? findRoute(verb, decodeURIComponent(path)) : undefined;
  return {
    method: route?.method ?? `${verb} ${pathname}`,
    path: route?.parts ?? {},
    query,
    body: parseBody(body),
    userAgent: headers['user-agent'] ?? '',
  };
}

function parseBody(body: string): Record<string, unknown> {
  return body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
}

/** The body of an error (Google's API design guide, "Errors", and the older `errors` that Compute Engine still sends). */
function errorBody({ status, reason, message }: HttpError) {
  const domain = reason.endsWith('Exceeded') ? 'usageLimits' : 'global';
  return { error: { code: status, message, errors: [{ message, domain, reason }] } };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' }).end(JSON.stringify(body));
}
