import type { Line } from '../../core/status/line.ts';
import type { Timeline } from './timeline.ts';

/** The report of a run as a document, in the order in which it is read. HTML and Markdown say the same because both are written from it. */
export interface ReportDocument {
  readonly title: string;
  /** What came of the run, and why, before everything else. */
  readonly summary: readonly Line[];
  readonly sections: readonly Section[];
  /** What identifies the run and the program that wrote the document. */
  readonly footer: string;
}

/** A part of the document with a heading of its own. */
export interface Section {
  readonly heading: string;
  readonly blocks: readonly Block[];
}

/** What sections consist of. All texts are plain: whoever renders them escapes them. */
export type Block =
  | { readonly kind: 'paragraph'; readonly line: Line }
  | { readonly kind: 'list'; readonly items: readonly Line[] }
  | { readonly kind: 'figures'; readonly figures: readonly Figure[] }
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'timeline'; readonly timeline: Timeline };

/** A number that readers search for first, such as the requests that were lost. */
export interface Figure {
  readonly name: string;
  readonly value: Line;
}

/** Rows under one head. The first cell of each row says what the row is about. */
export interface Table {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A line without a tone of its own. */
export function plain(text: string): Line {
  return { tone: undefined, text };
}

/** A paragraph. */
export function paragraph(line: Line): Block {
  return { kind: 'paragraph', line };
}

/** A list, or nothing when it would be empty. */
export function listOf(items: readonly Line[]): readonly Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

/** A section, or nothing when it would have a heading only. */
export function sectionOf(heading: string, blocks: readonly Block[]): readonly Section[] {
  return blocks.length === 0 ? [] : [{ heading, blocks }];
}
