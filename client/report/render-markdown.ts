import type { Line } from '../../core/status/line.ts';
import { cleanText } from './clean-text.ts';
import type { Block, ReportDocument, Table } from './document.ts';
import { signOf } from './sign-of.ts';

/** Writes a report in GitHub Flavored Markdown, for a change ticket. The picture is left out: the tables say the same. */
export function renderMarkdown({ title, summary, sections, footer }: ReportDocument): string {
  const parts = [
    `# ${escapeMarkdown(title)}`,
    ...summary.map((line, index) => (index === 0 ? `**${lineOf(line)}**` : lineOf(line))),
    ...sections.flatMap(({ heading, blocks }) => [`## ${escapeMarkdown(heading)}`, ...blocks.flatMap(renderBlock)]),
    '---',
    escapeMarkdown(footer),
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderBlock(block: Block): readonly string[] {
  switch (block.kind) {
    case 'paragraph':
      return [lineOf(block.line)];
    case 'list':
      return [block.items.map((item) => `- ${lineOf(item)}`).join('\n')];
    case 'figures': {
      const names = block.figures.map(({ name }) => name);
      return [tableOf(names, [block.figures.map(({ value }) => lineOf(value))])];
    }
    case 'table':
      return [renderTable(block.table)];
    case 'timeline':
      return [];
  }
}

function renderTable({ caption, head, rows }: Table): string {
  return `${escapeMarkdown(caption)}:\n\n${tableOf(
    head,
    rows.map((row) => row.map(escapeMarkdown)),
  )}`;
}

/** The cells of rows are escaped already. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head.map(escapeMarkdown)), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function lineOf({ tone, text }: Line): string {
  const sign = signOf(tone);
  const escaped = escapeMarkdown(text);
  return sign === '' ? escapeBeginning(escaped) : `${sign}${escaped}`;
}

/** Escapes everything that has a meaning in GFM: markup, HTML, tables, and links that need no markup. Underscores inside words have none. */
function escapeMarkdown(text: string): string {
  return cleanText(text)
    .replaceAll(/[\\`*[\]<>|~&#{}]/g, String.raw`\$&`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll('://', String.raw`\://`)
    .replaceAll(/\bwww\./gi, (found) => `${found.slice(0, -1)}\\.`);
}

/** Escapes what means something only at the beginning of a line: `-`, `+`, `=`, `1.`. */
function escapeBeginning(line: string): string {
  return line.replace(/^[-+=]/, String.raw`\$&`).replace(/^(\d+)([.)])/, String.raw`$1\$2`);
}
