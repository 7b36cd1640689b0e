import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Account, type JWK } from 'oidc-provider';
import type { Answer, Browser } from './browser.ts';

/** A real OpenID provider on a free port, with one client. Whoever signs in is who he says he is. */
export interface SignInProvider {
  readonly issuer: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** Has the provider forget an account: nobody who has signed in with it gets another token. */
  forget(email: string): void;
  close(): Promise<void>;
}

/** Accounts whose e-mail address the provider has not verified begin like this. */
export const unverified = 'unverified-';

/** Accounts that begin like this are members of the group `operators`. */
export const operators = 'operator-';

/** Starts a provider that redirects to these addresses, with a code, and to no others. It demands PKCE. */
export async function startProvider(redirectUris: readonly string[]): Promise<SignInProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { id: 'temporal-ui', secret: 'secret-of-the-client' };
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }) as JWK;
  const forgotten = new Set<string>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [...redirectUris],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    jwks: { keys: [{ ...key, kid: 'key', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['a key'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    findAccount: (_, email) => (forgotten.has(email) ? undefined : accountOf(email)),
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
  return {
    issuer,
    client,
    forget: (email) => void forgotten.add(email),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function accountOf(email: string): Account {
  return {
    accountId: email,
    claims: () => ({
      sub: email,
      email,
      email_verified: !email.startsWith(unverified),
      groups: email.startsWith(operators) ? ['operators'] : [],
    }),
  };
}

/** Signs in at the provider's pages, which `page` is the first of, and consents. Answers with the redirect back, which is not followed. */
export async function signInAt(browser: Browser, page: Answer, email: string): Promise<Answer> {
  const consent = await browser.ask(page.url, { form: { prompt: 'login', login: email, password: 'any' } });
  const asked = await openAtProvider(browser, consent, page.url.origin);
  if (asked.location !== undefined) return asked;
  return await openAtProvider(browser, await browser.ask(asked.url, { form: { prompt: 'consent' } }), page.url.origin);
}

/** Follows redirects as long as they stay at the provider. */
async function openAtProvider(browser: Browser, first: Answer, origin: string): Promise<Answer> {
  let answer = first;
  while (answer.location?.origin === origin) answer = await browser.ask(answer.location);
  return answer;
}
