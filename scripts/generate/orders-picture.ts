import { escapeHtml } from '../../client/report/escape-html.ts';
import type { MeasuredNode, MeasuredOrders, MeasuredUpgrade } from '../../demo/measured-orders.ts';

/** Lengths in units of the picture, which is scaled to the page. */
const width = 900;
const left = 150;
const right = width - 30;
const lane = 26;
const losses = 46;

const colours = {
  serving: '#d0d7de',
  empty: '#eef1f4',
  leaving: '#54aeff',
  pods: '#eac54f',
  lost: '#cf222e',
  text: '#1f2328',
  dim: '#59636e',
} as const;

/** Draws the usual order and that of nodeferry one below the other, on the same time axis. */
export function drawOrdersPicture({ date, nodeferry, usual }: MeasuredOrders): string {
  const seconds = Math.max(...[nodeferry, usual].flatMap((one) => [one.seconds, one.lossesPerSecond.length]));
  const most = Math.max(1, ...usual.lossesPerSecond, ...nodeferry.lossesPerSecond);
  const x = (at: number) => left + (at / seconds) * (right - left);
  const panel = (nodes: number) => 34 + nodes * lane + losses + 10;
  const second = 20 + panel(usual.nodes.length);
  const axis = second + panel(nodeferry.nodes.length);
  const height = axis + 78;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title text" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="13">`,
    '<title id="title">The usual order and that of nodeferry, on one time line</title>',
    `<desc id="text">${escapeHtml(`Usual order: ${tell(usual)}. nodeferry: ${tell(nodeferry)}. Measured on ${date}.`)}</desc>`,
    `<rect width="${width}" height="${height}" rx="10" fill="#ffffff" stroke="${colours.serving}"/>`,
    ...drawUpgrade('The usual order: cordon, drain, terminate', usual, { x, most, y: 20 }),
    ...drawUpgrade('nodeferry, with pod surge', nodeferry, { x, most, y: second }),
    ...drawAxis(seconds, x, axis),
    ...drawLegend(axis + 50),
    '</svg>',
    '',
  ].join('\n');
}

function tell({ bad, sent, seconds }: MeasuredUpgrade): string {
  const lost = bad === 0 ? 'none' : bad.toLocaleString('en');
  return `${lost} of ${sent.toLocaleString('en')} requests lost or reset, ${seconds} s`;
}

/** Where an upgrade is drawn: the place of a second, the most losses of a second, and its top. */
interface Place {
  readonly x: (at: number) => number;
  readonly most: number;
  readonly y: number;
}

function drawUpgrade(title: string, upgrade: MeasuredUpgrade, { x, most, y }: Place): readonly string[] {
  const { nodes, bad, lossesPerSecond } = upgrade;
  const base = y + 30 + nodes.length * lane + losses;
  const result = bad === 0 ? '#1a7f37' : colours.lost;
  return [
    `<text x="20" y="${y + 14}" font-size="15" font-weight="600" fill="${colours.text}">${escapeHtml(title)}</text>`,
    `<text x="${right}" y="${y + 14}" text-anchor="end" font-weight="600" fill="${result}">${escapeHtml(tell(upgrade))}</text>`,
    ...nodes.flatMap((node, index) => drawNode(node, x, y + 28 + index * lane)),
    `<text x="${left - 10}" y="${base - 14}" text-anchor="end" fill="${colours.dim}">lost per second</text>`,
    `<line x1="${left}" y1="${base}" x2="${right}" y2="${base}" stroke="${colours.serving}"/>`,
    ...lossesPerSecond.flatMap((count, second) => {
      const height = Math.round((count / most) * (losses - 8));
      if (count === 0) return [];
      const at = x(second);
      return [rect(at, base - Math.max(2, height), x(second + 1) - at - 0.5, Math.max(2, height), colours.lost)];
    }),
  ];
}

function drawNode(node: MeasuredNode, x: Place['x'], y: number): readonly string[] {
  const { name, leavesLoadBalancers: leaving, podsLeave, terminatedAt } = node;
  const bar = (from: number, to: number, fill: string) => rect(x(from), y, Math.max(2, x(to) - x(from)), 16, fill);
  return [
    `<text x="${left - 10}" y="${y + 13}" text-anchor="end" fill="${colours.text}">${escapeHtml(name)}</text>`,
    bar(0, podsLeave.to, colours.serving),
    bar(podsLeave.to, terminatedAt, colours.empty),
    ...(leaving === undefined ? [] : [bar(leaving.from, leaving.to, colours.leaving)]),
    bar(podsLeave.from, podsLeave.to, colours.pods),
    rect(x(terminatedAt) - 2, y - 2, 4, 20, colours.text),
  ];
}

function drawAxis(seconds: number, x: Place['x'], y: number): readonly string[] {
  const ticks = Array.from({ length: Math.floor(seconds / 10) + 1 }, (_, index) => index * 10);
  return ticks.map(
    (at) => `<text x="${x(at)}" y="${y + 14}" text-anchor="middle" fill="${colours.dim}">${at} s</text>`,
  );
}

function drawLegend(y: number): readonly string[] {
  const entries = [
    [colours.serving, 'node serves'],
    [colours.leaving, 'leaves its load balancers'],
    [colours.pods, 'pods leave'],
    [colours.empty, 'empty'],
    [colours.text, 'instance terminated'],
    [colours.lost, 'requests lost or reset'],
  ] as const;
  let at = 20;
  return entries.flatMap(([fill, text]) => {
    const from = at;
    at += 44 + text.length * 6.4;
    return [rect(from, y, 14, 14, fill), `<text x="${from + 20}" y="${y + 12}" fill="${colours.dim}">${text}</text>`];
  });
}

function rect(x: number, y: number, w: number, h: number, fill: string): string {
  return `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, w).toFixed(1)}" height="${h}" rx="2" fill="${fill}"/>`;
}
