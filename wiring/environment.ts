import { NodeferryError } from '../core/model/problem.ts';
import type { GoogleSettings } from './google-settings.ts';
import { type ProviderName, providers } from './providers.ts';

/** Environment variables. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Region of a cluster of that provider, as the environment names it. */
export function regionFromEnvironment(env: Environment, provider: ProviderName): string | undefined {
  return providers[provider].traits.regionVariables.map((name) => env[name]).find(isSet);
}

/**
 * Reads what the environment says about Google Cloud. Credentials and the metadata server (`GCE_METADATA_HOST`) Google's own libraries find. @throws
 * NodeferryError InvalidArgument naming the variable and its allowed values
 */
export function googleFromEnvironment(env: Environment): GoogleSettings {
  const [project, endpoint] = ['GOOGLE_CLOUD_PROJECT', 'NODEFERRY_GKE_ENDPOINT'].map((name) =>
    isSet(env[name]) ? env[name] : undefined,
  );
  const [computeUrl, resourceManagerUrl] = ['NODEFERRY_COMPUTE_URL', 'NODEFERRY_RESOURCE_MANAGER_URL'].map((name) =>
    isSet(env[name]) ? readUrl(name, env[name]) : undefined,
  );
  return {
    ...(project === undefined ? {} : { project }),
    ...(endpoint === undefined ? {} : { gkeEndpoint: readEndpoint('NODEFERRY_GKE_ENDPOINT', endpoint) }),
    ...(computeUrl === undefined ? {} : { computeUrl }),
    ...(resourceManagerUrl === undefined ? {} : { resourceManagerUrl }),
  };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function readEndpoint(name: string, text: string): NonNullable<GoogleSettings['gkeEndpoint']> {
  const [, host, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) > 65_535) throw wrong(name, text, 'host:port, e.g. container.example.com:443');
  return { host, port: Number(port) };
}

/** The client appends paths to it. */
function readUrl(name: string, text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw wrong(name, text, 'an http or https address, e.g. http://127.0.0.1:8080/');
  }
  return text.endsWith('/') ? text : `${text}/`;
}

function wrong(name: string, value: string, allowed: string): NodeferryError {
  return new NodeferryError({
    code: 'InvalidArgument',
    message: `${name} is ${JSON.stringify(value)}`,
    hint: `Set it to ${allowed}.`,
  });
}
