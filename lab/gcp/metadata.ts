import { serveHttp } from './serve-http.ts';

/** An answer of the metadata server. */
interface MetadataAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const root = '/computeMetadata/v1/';

/** The token that the metadata server gives out. */
const labToken = 'lab-token';

/** Serves the metadata server: over plain HTTP, as on a VM. */
export async function serveMetadata(project: string) {
  return await serveHttp(async ({ url = '/', headers }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const { status, headers: said, body } = answer(project, pathname, headers['metadata-flavor']);
    response.writeHead(status, said).end(body);
  });
}

/** Without the header `Metadata-Flavor: Google` it refuses (Compute Engine documentation, "View and query VM metadata"). */
function answer(project: string, path: string, flavor: unknown): MetadataAnswer {
  const headers = { 'metadata-flavor': 'Google', 'content-type': 'text/plain' };
  if (flavor !== 'Google') return { status: 403, headers, body: 'Missing Metadata-Flavor:Google header.' };
  const known: Readonly<Record<string, string>> = {
    instance: '',
    'project/project-id': project,
    'universe/universe-domain': 'googleapis.com',
    'instance/service-accounts/default/email': `nodeferry@${project}.iam.gserviceaccount.com`,
  };
  const key = path.slice(root.length).replace(/\/$/, '');
  if (key === 'instance/service-accounts/default/token') {
    const token = { access_token: labToken, expires_in: 3_599, token_type: 'Bearer' };
    return { status: 200, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(token) };
  }
  const body = path === '/' ? 'computeMetadata/' : known[key];
  return body === undefined ? { status: 404, headers, body: '' } : { status: 200, headers, body };
}
