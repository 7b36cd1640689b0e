/** Single requests from a network namespace of the lab. */
import { run } from '../../../lab/process.ts';

/** Far above what an answer takes here, ms. What is dropped stays without one for good. */
const timeoutMs = 1_500;

/** What became of a request. */
export interface Answer {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly body: string;
  /** Pod of the lab's app that answered; empty when it was none. */
  readonly pod: string;
}

/** A request to a URL, from an address of the namespace if it has several. */
interface Request {
  readonly url: string;
  readonly from?: string;
}

const script = `const { get } = await import('node:http');
  const [timeout, requests] = process.argv.slice(1).map((text) => JSON.parse(text));
  const answers = await Promise.all(requests.map(({ url, from }) => new Promise((resolve) => {
    const none = (body) => resolve({ status: 0, body, pod: '' });
    const sent = get(url, { agent: false, localAddress: from, timeout }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => { body += chunk; });
      response.on('end', () => resolve({ status: response.statusCode, body, pod: response.headers['x-pod'] ?? '' }));
      response.on('error', (error) => none(error.message));
    });
    sent.on('timeout', () => { none('timed out'); sent.destroy(); });
    sent.on('error', (error) => none(error.message));
  })));
  console.log(JSON.stringify(answers));
  process.exit();`;

/** Sends the requests together, each over a connection of its own, and resolves with what became of each. */
export async function sendFrom(namespace: string, requests: readonly Request[]): Promise<readonly Answer[]> {
  const node = [process.execPath, '--input-type=module', '--eval', script];
  const args = [`--net=/run/netns/${namespace}`, ...node, String(timeoutMs), JSON.stringify(requests)];
  return JSON.parse(await run('nsenter', args)) as readonly Answer[];
}
