import { escapeHtml } from '../../client/report/escape-html.ts';

/** One order of replacing the same pool, as docs/performance.md has it. */
interface MeasuredOrder {
  readonly nodes: number;
  readonly order: string;
  /** Requests that were lost or whose connection broke. */
  readonly bad: number;
  readonly seconds: number;
}

/** Lengths in units of the picture, which is scaled to the page. */
const width = 900;
const row = 46;
const top = 74;
const bar = 20;
const losses = { left: 330, length: 190 } as const;
const times = { left: 620, length: 190 } as const;

/** Rows of the table of docs/performance.md. @throws Error when it has none */
export function readMeasuredOrders(page: string): readonly MeasuredOrder[] {
  const number = (cell: string) => Number(cell.replaceAll(/[^\d.]/g, ''));
  const orders = page.split('\n').flatMap((line) => {
    const [nodes = '', order = '', , lost = '', reset = '', , duration = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    if (!/^\d+$/.test(nodes)) return [];
    return [{ nodes: Number(nodes), order, bad: number(lost) + number(reset), seconds: number(duration) }];
  });
  if (orders.length === 0) throw new Error('docs/performance.md has no measured orders');
  return orders;
}

/** Draws what the largest pool of a bench lost in each order, and how long it took. `page` is docs/performance.md. */
export function drawBenchPicture(page: string): string {
  const all = readMeasuredOrders(page);
  const nodes = Math.max(...all.map((one) => one.nodes));
  const orders = all.filter((one) => one.nodes === nodes);
  const maxBad = Math.max(...orders.map(({ bad }) => bad));
  const maxSeconds = Math.max(...orders.map(({ seconds }) => seconds));
  const height = top + orders.length * row + 12;
  const told = orders.map(({ order, bad, seconds }) => `${order}: ${bad} lost or reset, ${seconds} s`).join('; ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title text" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="15">`,
    `<title id="title">A pool of ${nodes} nodes, replaced in different orders</title>`,
    `<desc id="text">${escapeHtml(told)}</desc>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#ffffff" stroke="#d0d7de"/>`,
    `<text x="20" y="34" font-size="17" font-weight="600" fill="#1f2328">${nodes} nodes replaced under the same traffic</text>`,
    `<text x="${losses.left}" y="60" fill="#59636e">requests lost or reset</text>`,
    `<text x="${times.left}" y="60" fill="#59636e">time</text>`,
    ...orders.flatMap((one, index) => drawOrder(one, top + index * row, { maxBad, maxSeconds })),
    '</svg>',
    '',
  ].join('\n');
}

function drawOrder(
  { order, bad, seconds }: MeasuredOrder,
  y: number,
  { maxBad, maxSeconds }: { readonly maxBad: number; readonly maxSeconds: number },
): readonly string[] {
  const [name = '', detail = ''] = order.split(/[:,] (.*)/);
  const own = name === 'nodeferry';
  const text = y + 15;
  const scaled = (value: number, most: number, length: number) =>
    Math.max(3, Math.round((value / Math.max(1, most)) * length));
  const badWidth = scaled(bad, maxBad, losses.length);
  const timeWidth = scaled(seconds, maxSeconds, times.length);
  const nothing = `<text x="${losses.left}" y="${text}" font-weight="600" fill="#1a7f37">none</text>`;
  const some = [
    `<rect x="${losses.left}" y="${y}" width="${badWidth}" height="${bar}" rx="3" fill="#cf222e"/>`,
    `<text x="${losses.left + badWidth + 8}" y="${text}" fill="#1f2328">${bad.toLocaleString('en')}</text>`,
  ];
  return [
    `<text x="20" y="${y + 9}" font-weight="600" fill="#1f2328">${escapeHtml(name)}</text>`,
    `<text x="20" y="${y + 26}" font-size="13" fill="#59636e">${escapeHtml(detail)}</text>`,
    ...(bad === 0 ? [nothing] : some),
    `<rect x="${times.left}" y="${y}" width="${timeWidth}" height="${bar}" rx="3" fill="${own ? '#1a7f37' : '#8c959f'}"/>`,
    `<text x="${times.left + timeWidth + 8}" y="${text}" fill="#1f2328">${seconds} s</text>`,
  ];
}
