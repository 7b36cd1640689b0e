/** The web UI behind a sign-in: the real proxy with the settings of the compose profile, a real OpenID provider, and Temporal's own web UI. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTemporal } from '../../demo/temporal.ts';
import { until } from '../../lab/process.ts';
import { type Answer, Browser } from '../support/sign-in/browser.ts';
import { operators, type SignInProvider, signInAt, startProvider, unverified } from '../support/sign-in/provider.ts';
import { runProxy, type SignInProxy, startProxy } from '../support/sign-in/proxy.ts';

/** Two names of the web UI, both registered with the provider. */
const names = ['https://ui.example', 'https://temporal.example'] as const;
const [ui, otherUi] = names;
const namespaces = '/api/v1/namespaces';

const closing: (() => Promise<unknown>)[] = [];
let uiUrl: string;
let provider: SignInProvider;
let proxy: SignInProxy;
beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'nodeferry-sign-in-'));
  closing.push(async () => rmSync(directory, { recursive: true, force: true }));
  const temporal = await startTemporal(directory);
  closing.push(() => temporal.stop());
  uiUrl = temporal.uiUrl;
  // The web UI answers before it has found its server.
  const shows = async () => ((await fetch(`${uiUrl}${namespaces}`)).ok ? true : undefined);
  await until(shows, { what: 'the web UI shows nothing', timeoutMs: 60_000 });
  provider = await startProvider(names.map((name) => `${name}/oauth2/callback`));
  closing.push(() => provider.close());
  proxy = await startProxy(uiUrl, provider, { emailDomain: 'example.com' });
  closing.push(() => proxy.close());
}, 120_000);
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

/** Somebody with an empty browser. */
function newBrowser({ port } = proxy): Browser {
  return new Browser(
    Object.fromEntries([...names, 'https://evil.example'].map((name) => [new URL(name).hostname, port])),
  );
}

/** Signs in up to the redirect back to the web UI, whose address has the code. */
async function beginSignIn(browser: Browser, address: string | URL, email = 'ann@example.com'): Promise<URL> {
  const { location } = await signInAt(browser, await browser.open(address), email);
  if (location === undefined) throw new Error('the provider does not redirect back');
  return location;
}

async function signIn(browser: Browser, address: string | URL = ui, email?: string): Promise<Answer> {
  return await browser.open(await beginSignIn(browser, address, email));
}

/** Whether the web UI shows this browser its data. */
async function seesData(browser: Browser, name: string = ui): Promise<boolean> {
  const { status, body } = await browser.ask(`${name}${namespaces}`);
  const sees = status === 200;
  expect(body.includes('temporal-system')).toBe(sees);
  if (!sees) expect([401, 403]).toContain(status);
  return sees;
}

test('the web UI without the proxy shows everybody everything', async () => {
  const answer = await fetch(`${uiUrl}${namespaces}`);
  expect(await answer.text()).toContain('temporal-system');
});

describe('who has not signed in', () => {
  test('is sent to the provider, with a callback at the name that was asked for', async () => {
    for (const name of names) {
      const { status, location, body } = await newBrowser().ask(`${name}/namespaces/default/workflows`);
      expect(status).toBe(302);
      expect(location?.origin).toBe(provider.issuer);
      expect(location?.searchParams.get('redirect_uri')).toBe(`${name}/oauth2/callback`);
      expect(location?.searchParams.get('code_challenge_method')).toBe('S256');
      expect(body).not.toContain('Temporal');
    }
  });

  test('gets nothing from the API, and no page that a program cannot use', async () => {
    const { status, location } = await newBrowser().ask(`${ui}${namespaces}`);
    expect({ status, location }).toEqual({ status: 401, location: undefined });
    expect(await seesData(newBrowser())).toBe(false);
  });

  test.each([
    ['an address of the proxy itself', { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' }],
    ['a user name', { 'x-forwarded-user': 'ann', 'x-forwarded-email': 'ann@example.com' }],
    ['a path without sign-in', { 'x-forwarded-uri': '/ping' }],
    ['a token', { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImFubkBleGFtcGxlLmNvbSJ9.' }],
  ])('gets no further with %s in a header', async (_, headers) => {
    expect((await newBrowser().ask(`${ui}${namespaces}`, { headers })).status).toBe(401);
  });
});

describe('who signs in', () => {
  test('sees the web UI and its data, at the page that was asked for', async () => {
    const browser = newBrowser();
    const { status, url, body } = await signIn(browser, `${ui}/namespaces/default/workflows?query=a%20b`);
    expect({ status, url: url.href }).toEqual({ status: 200, url: `${ui}/namespaces/default/workflows?query=a%20b` });
    expect(body).toMatch(/<!doctype html>/i);
    expect(await seesData(browser)).toBe(true);
  });

  test('is signed in at each name by itself, with one client', async () => {
    const browser = newBrowser();
    await signIn(browser, ui);
    expect(await seesData(browser, otherUi)).toBe(false);
    await browser.cookies.removeAllCookies();
    const { url } = await signIn(browser, otherUi);
    expect(url.origin).toBe(otherUi);
    expect(await seesData(browser, otherUi)).toBe(true);
    expect(await seesData(browser, ui)).toBe(false);
  });

  test('is not signed in any more after signing out', async () => {
    const browser = newBrowser();
    await signIn(browser);
    await browser.ask(`${ui}/oauth2/sign_out`);
    expect(await seesData(browser)).toBe(false);
  });

  test.each([
    ['of another domain', 'eve@example.org'],
    ['of a domain that ends alike', 'eve@notexample.com'],
    ['of a domain below', 'eve@example.com.example.org'],
    ['that nobody has verified', `${unverified}eve@example.com`],
  ])('is refused with an e-mail address %s', async (_, email) => {
    const browser = newBrowser();
    expect((await signIn(browser, ui, email)).status).toBe(403);
    expect(await seesData(browser)).toBe(false);
  });
});

test('where groups are named, members of one of them sign in, and nobody else', async () => {
  const grouped = await startProxy(uiUrl, provider, { emailDomain: 'example.com', groups: 'owners,operators' });
  try {
    const [member, other] = [newBrowser(grouped), newBrowser(grouped)];
    await signIn(member, ui, `${operators}ann@example.com`);
    expect(await seesData(member)).toBe(true);
    expect((await signIn(other, ui, 'ann@example.com')).status).toBe(403);
    expect(await seesData(other)).toBe(false);
  } finally {
    await grouped.close();
  }
});

describe('a callback', () => {
  const forged = 'https://ui.example/oauth2/callback?code=made-up&state=bm9uY2U6L3BhdGg';

  test.each([
    ['without anything', `${ui}/oauth2/callback`],
    ['with a code and a state that are made up', forged],
  ])('%s signs nobody in', async (_, address) => {
    const browser = newBrowser();
    expect((await browser.ask(address)).status).toBeGreaterThanOrEqual(400);
    expect(await seesData(browser)).toBe(false);
  });

  test('with a made-up code signs nobody in, although the browser has begun to', async () => {
    const browser = newBrowser();
    const callback = await beginSignIn(browser, ui);
    callback.searchParams.set('code', 'made-up');
    expect((await browser.ask(callback)).status).toBeGreaterThanOrEqual(400);
    expect(await seesData(browser)).toBe(false);
  });

  test('of somebody else signs nobody in as him; himself it does', async () => {
    const attacker = newBrowser();
    const callback = await beginSignIn(attacker, ui, 'eve@example.com');
    const victim = newBrowser();
    expect((await victim.ask(callback)).status).toBe(403);
    expect(await seesData(victim)).toBe(false);
    await beginSignIn(victim, ui);
    expect((await victim.ask(callback)).status).toBe(403);
    expect(await seesData(victim)).toBe(false);
    await attacker.open(callback);
    expect(await seesData(attacker)).toBe(true);
  });

  test('is good for once', async () => {
    const browser = newBrowser();
    const callback = await beginSignIn(browser, ui);
    expect((await browser.open(callback)).status).toBe(200);
    await browser.ask(`${ui}/oauth2/sign_out`);
    expect((await browser.ask(callback)).status).toBe(403);
    expect(await seesData(browser)).toBe(false);
  });

  test('that was meant for another name is refused there', async () => {
    const browser = newBrowser();
    const callback = await beginSignIn(browser, ui);
    callback.hostname = new URL(otherUi).hostname;
    expect((await browser.ask(callback)).status).toBe(403);
    expect(await seesData(browser, otherUi)).toBe(false);
  });
});

describe('no code gets to another host', () => {
  test('the provider refuses a name that is not registered', async () => {
    const { status, url, location } = await newBrowser().open('https://evil.example/');
    expect({ status, origin: url.origin, location }).toEqual({
      status: 400,
      origin: provider.issuer,
      location: undefined,
    });
  });

  test.each(['x-forwarded-host', 'x-original-host', 'forwarded'])('the header %s is not believed', async (name) => {
    const value = name === 'forwarded' ? 'host=evil.example' : 'evil.example';
    const { location } = await newBrowser().ask(`${ui}/`, { headers: { [name]: value } });
    expect(location?.searchParams.get('redirect_uri')).toBe(`${ui}/oauth2/callback`);
  });

  test.each([
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['https://ui.example@evil.example/', '/'],
    ['/namespaces/default/schedules', '/namespaces/default/schedules'],
  ])('after a sign-in that was begun for %s, the browser is at %s', async (wanted, path) => {
    const browser = newBrowser();
    const callback = await beginSignIn(browser, `${ui}/oauth2/start?rd=${encodeURIComponent(wanted)}`);
    const { location } = await browser.ask(callback);
    expect(location?.href).toBe(`${ui}${path}`);
    expect(await seesData(browser)).toBe(true);
  });
});

test('with other settings a code would get to another host', async () => {
  const args = ['--reverse-proxy=true', '--whitelist-domain=evil.example'];
  const careless = await startProxy(uiUrl, provider, { emailDomain: 'example.com', args });
  try {
    const forwarded = await newBrowser(careless).ask(`${ui}/`, { headers: { 'x-forwarded-host': 'evil.example' } });
    expect(forwarded.location?.searchParams.get('redirect_uri')).toBe('https://evil.example/oauth2/callback');
    const browser = newBrowser(careless);
    const callback = await beginSignIn(browser, `${ui}/oauth2/start?rd=https://evil.example/`);
    expect((await browser.ask(callback)).location?.href).toBe('https://evil.example/');
  } finally {
    await careless.close();
  }
});

describe('the cookie of a session', () => {
  /** The session's cookie of a browser that has signed in. */
  async function sessionOf(browser: Browser) {
    await signIn(browser);
    const [cookie, ...others] = (await browser.cookies.getCookies(ui)).filter(({ key }) => key === '__Host-nodeferry');
    if (cookie === undefined || others.length > 0) throw new Error('the session has not one cookie');
    return cookie;
  }

  test('is for one name, over TLS, and out of reach of scripts', async () => {
    const cookie = await sessionOf(newBrowser());
    expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'lax', hostOnly: true, path: '/' });
  });

  test('is refused when it is altered', async () => {
    const browser = newBrowser();
    const cookie = await sessionOf(browser);
    expect(await seesData(browser)).toBe(true);
    cookie.value = `${cookie.value.startsWith('A') ? 'B' : 'A'}${cookie.value.slice(1)}`;
    await browser.cookies.setCookie(cookie, ui);
    expect(await seesData(browser)).toBe(false);
  });

  test('is refused when it was made with another secret', async () => {
    const elsewhere = await startProxy(uiUrl, provider, { emailDomain: '*' });
    try {
      const cookie = await sessionOf(newBrowser(elsewhere));
      const browser = newBrowser();
      await browser.cookies.setCookie(cookie, ui);
      expect(await seesData(browser)).toBe(false);
    } finally {
      await elsewhere.close();
    }
  });
});

describe('a session that is over', () => {
  /** Long enough to sign in on a busy host. */
  const brief = ['--cookie-expire=8s'];

  test('leads to the sign-in page and not to the web UI, and its cookie is good for nothing', async () => {
    const short = await startProxy(uiUrl, provider, { emailDomain: 'example.com', args: brief });
    try {
      const browser = newBrowser(short);
      await signIn(browser);
      const cookie = await browser.cookies.getCookieString(ui);
      expect(await seesData(browser)).toBe(true);
      const replay = async () => (await browser.ask(`${ui}${namespaces}`, { headers: { cookie } })).status;
      await expect.poll(replay).toBe(401);
      expect(await seesData(browser)).toBe(false);
      expect(await browser.cookies.getCookieString(ui)).not.toContain('__Host-nodeferry');
      const page = await browser.ask(`${ui}/namespaces/default/workflows`, { headers: { cookie } });
      expect({ status: page.status, to: page.location?.origin }).toEqual({ status: 302, to: provider.issuer });
      expect(page.body).not.toContain('Temporal');
    } finally {
      await short.close();
    }
  });

  test('begins again without a password while the provider remembers its user, and with one after that', async () => {
    const browser = newBrowser();
    await signIn(browser);
    await browser.ask(`${ui}/oauth2/sign_out`);
    const remembered = await browser.open(`${ui}/namespaces/default/schedules`);
    expect({ status: remembered.status, url: remembered.url.href }).toEqual({
      status: 200,
      url: `${ui}/namespaces/default/schedules`,
    });
    await browser.cookies.removeAllCookies();
    const { url, body } = await browser.open(`${ui}/namespaces/default/schedules`);
    expect(url.origin).toBe(provider.issuer);
    expect(body).toContain('name="password"');
  });

  test('is not noticed before its time with the settings of the compose profile, when the provider forgets its user', async () => {
    const browser = newBrowser();
    await signIn(browser, ui, 'leaver@example.com');
    provider.forget('leaver@example.com');
    expect(await seesData(browser)).toBe(true);
  });

  test('is noticed soon where sessions are refreshed; otherwise they are renewed', async () => {
    const args = ['--cookie-refresh=1s', '--scope=openid email offline_access', '--prompt=consent'];
    const fresh = await startProxy(uiUrl, provider, { emailDomain: 'example.com', args });
    try {
      const browser = newBrowser(fresh);
      await signIn(browser, ui, 'ben@example.com');
      const first = await browser.cookies.getCookieString(ui);
      const isRenewed = async () => (await seesData(browser)) && (await browser.cookies.getCookieString(ui)) !== first;
      await expect.poll(isRenewed).toBe(true);
      provider.forget('ben@example.com');
      await expect.poll(async () => await seesData(browser)).toBe(false);
      expect((await browser.ask(`${ui}/`)).location?.origin).toBe(provider.issuer);
    } finally {
      await fresh.close();
    }
  });
});

test('the proxy names what is missing, and does not start', async () => {
  const { code, said } = await runProxy({ OAUTH2_PROXY_OIDC_ISSUER_URL: provider.issuer, OAUTH2_PROXY_CLIENT_ID: '' });
  expect(code).not.toBe(0);
  for (const missing of ['cookie-secret', 'client-id', 'client-secret', 'email-domain'])
    expect(said).toContain(missing);
});
