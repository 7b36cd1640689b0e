import type { Line } from '../../core/status/line.ts';
import { stepOf } from '../../core/steps/steps.ts';
import type { Block, ReportDocument, Section, Table } from './document.ts';
import { drawTimeline } from './draw-timeline.ts';
import { escapeHtml } from './escape-html.ts';
import { styleSheet } from './html-style.ts';
import { signOf } from './sign-of.ts';
import type { Timeline } from './timeline.ts';

/** The browser loads nothing and runs nothing, even if a text from outside were read as HTML. */
const contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** Writes a report as one HTML file that needs nothing else: no script, no font, no picture from elsewhere. */
export function renderHtml({ title, summary, sections, footer }: ReportDocument): string {
  const [outcome, ...reasons] = summary;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(contentPolicy)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${styleSheet}</style>`,
    '</head>',
    '<body>',
    '<header>',
    `<h1>${escapeHtml(title)}</h1>`,
    ...(outcome === undefined ? [] : [paragraph(outcome, 'outcome')]),
    ...reasons.map((line) => paragraph(line)),
    '</header>',
    '<main>',
    ...sections.map(renderSection),
    '</main>',
    `<footer><p>${escapeHtml(footer)}</p></footer>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function renderSection({ heading, blocks }: Section): string {
  return ['<section>', `<h2>${escapeHtml(heading)}</h2>`, ...blocks.map(renderBlock), '</section>'].join('\n');
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
      return paragraph(block.line);
    case 'list':
      return `<ul>\n${block.items.map((item) => `<li${classOf(item)}>${textOf(item)}</li>`).join('\n')}\n</ul>`;
    case 'figures': {
      const pairs = block.figures.map(
        ({ name, value }) => `<div><dt>${escapeHtml(name)}</dt><dd${classOf(value)}>${textOf(value)}</dd></div>`,
      );
      return `<dl class="figures">\n${pairs.join('\n')}\n</dl>`;
    }
    case 'table':
      return renderTable(block.table);
    case 'timeline':
      return `<figure>\n${drawTimeline(block.timeline)}\n${renderLegend(block.timeline)}\n</figure>`;
  }
}

/** The table can be scrolled by itself, with the keyboard too, where the page is too narrow for it. */
function renderTable({ caption, head, rows }: Table): string {
  const titles = head.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join('');
  const lines = rows.map(([first = '', ...others]) => {
    const cells = others.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('');
    return `<tr><th scope="row">${escapeHtml(first)}</th>${cells}</tr>`;
  });
  return [
    `<div class="scroll" role="region" aria-label="${escapeHtml(caption)}" tabindex="0">`,
    '<table>',
    `<caption>${escapeHtml(caption)}</caption>`,
    `<thead><tr>${titles}</tr></thead>`,
    `<tbody>\n${lines.join('\n')}\n</tbody>`,
    '</table>',
    '</div>',
  ].join('\n');
}

/** The number of a step stands in its bars too, where they have room. */
function renderLegend({ steps, losses, unwatched }: Timeline): string {
  const items = steps.map(
    (step, index) => `<li><span class="swatch ${step}">${index + 1}</span> ${escapeHtml(stepOf(step).label)}</li>`,
  );
  if (losses.length > 0) items.push('<li><span class="swatch loss">✖</span> requests lost</li>');
  if (unwatched.length > 0) items.push('<li><span class="swatch unwatched">?</span> not watched</li>');
  return `<figcaption><ul class="legend">\n${items.join('\n')}\n</ul></figcaption>`;
}

function paragraph(line: Line, name?: string): string {
  return `<p${classOf(line, name)}>${textOf(line)}</p>`;
}

function textOf({ tone, text }: Line): string {
  return `${signOf(tone)}${escapeHtml(text)}`;
}

function classOf({ tone }: Line, name?: string): string {
  const names = [name, tone].filter((one) => one !== undefined);
  return names.length === 0 ? '' : ` class="${names.join(' ')}"`;
}
