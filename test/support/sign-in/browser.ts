import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { CookieJar } from 'tough-cookie';

/** What a server has answered. */
export interface Answer {
  readonly status: number;
  /** The address that answered, after all redirects. */
  readonly url: URL;
  /** Where it redirects to, if that was not followed. */
  readonly location: URL | undefined;
  readonly body: string;
}

/** How to ask. */
interface Ask {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A browser of one person: keeps cookies by the rules of browsers, prefixes such as `__Host-` included, and follows redirects when asked to. `ports`
 * says where names of hosts are: the connection is plain, as behind whatever terminates TLS, and the Host header is the name.
 */
export class Browser {
  readonly cookies = new CookieJar(undefined, { prefixSecurity: 'strict' });
  readonly #ports: Readonly<Record<string, number>>;

  constructor(ports: Readonly<Record<string, number>>) {
    this.#ports = ports;
  }

  /** Sends one request; follows no redirect. */
  async ask(address: string | URL, { form, headers = {} }: Ask = {}): Promise<Answer> {
    const url = new URL(address);
    const sent = form === undefined ? undefined : new URLSearchParams(form).toString();
    const call = request({
      host: '127.0.0.1',
      port: this.#ports[url.hostname] ?? url.port,
      path: `${url.pathname}${url.search}`,
      method: sent === undefined ? 'GET' : 'POST',
      headers: {
        host: url.host,
        accept: 'text/html',
        cookie: await this.cookies.getCookieString(url.href),
        ...(sent === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
    });
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    call.once('error', reject);
    call.once('response', (response) => {
      const { statusCode = 0, headers: answered } = response;
      const read = async () => {
        for (const cookie of answered['set-cookie'] ?? []) await this.cookies.setCookie(cookie, url.href);
        const location = answered.location === undefined ? undefined : new URL(answered.location, url);
        return { status: statusCode, url, location, body: await text(response) };
      };
      read().then(resolve, reject);
    });
    call.end(sent);
    return await promise;
  }

  /** Sends a request and follows redirects to hosts that there are; the answer of another host is the redirect to it. */
  async open(address: string | URL, ask: Ask = {}): Promise<Answer> {
    let answer = await this.ask(address, ask);
    for (let hops = 0; answer.location !== undefined && this.#knows(answer.location); hops += 1) {
      if (hops > 20) throw new Error(`too many redirects, at last to ${answer.location.href}`);
      answer = await this.ask(answer.location);
    }
    return answer;
  }

  #knows({ hostname }: URL): boolean {
    return hostname === '127.0.0.1' || hostname in this.#ports;
  }
}
