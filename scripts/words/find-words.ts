import { type BannedWord, bannedWords, ignoredFiles, ignoredLines } from './banned-words.ts';
import { oldNamePatterns, oldNames } from './old-names.ts';
import { readWords } from './read-words.ts';

/** A banned word or an old name where it stands. */
export interface FoundWord {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The word as it stands there. */
  readonly found: string;
  /** How it is called in a summary. */
  readonly word: string;
  readonly say: string;
}

/** A found word by the offsets at which it begins and ends. */
interface Hit {
  readonly start: number;
  readonly end: number;
  readonly word: string;
  readonly say: string;
}

/** Whether a file's words are not checked. */
export function isIgnored(path: string): boolean {
  return ignoredFiles.test(path);
}

/** Finds the banned words and old names of a file, in the order in which they stand; where two overlap, the longer one. */
export function findWords(path: string, text: string): FoundWord[] {
  const hits = [...findBanned(path, text), ...findOldNames(text)].sort((a, b) => a.start - b.start || b.end - a.end);
  const lines = text.split('\n');
  const starts = lineStarts(lines);
  let reached = -1;
  return hits.flatMap(({ start, end, word, say }) => {
    if (start < reached) return [];
    reached = end;
    const index = starts.findLastIndex((at) => at <= start);
    if (ignoredLines.files.test(path) && ignoredLines.lines.test(lines[index] ?? '')) return [];
    const found = text.slice(start, end).replace(/\s*\n[\s*/#>]*/g, ' ');
    return [{ line: index + 1, column: start - (starts[index] ?? 0) + 1, found, word, say }];
  });
}

function findBanned(path: string, text: string): Hit[] {
  const { words, offsets } = readWords(text);
  return bannedWords
    .filter(({ allowFiles }) => allowFiles?.test(path) !== true)
    .flatMap((banned) =>
      matchesOf(words, banned).map(([from, to]) => ({
        start: offsets[from] ?? 0,
        end: (offsets[to - 1] ?? 0) + 1,
        word: banned.word,
        say: banned.say,
      })),
    );
}

/** Where a word stands outside of the phrases in which it is right. */
function matchesOf(words: string, { pattern, allow }: BannedWord): (readonly [number, number])[] {
  const rangesOf = (regexp: RegExp) =>
    [...words.matchAll(regexp)].map((match) => [match.index, match.index + match[0].length] as const);
  const found = rangesOf(pattern);
  if (found.length === 0 || allow === undefined) return found;
  const allowed = rangesOf(allow);
  return found.filter(([from, to]) => !allowed.some(([start, end]) => start <= from && to <= end));
}

/** Identifiers and values are compared whole, as they are written. */
function findOldNames(text: string): Hit[] {
  return [...text.matchAll(/[A-Za-z_$][\w$]*(?:-[\w$]+)*/g)].flatMap((match) => {
    const name = match[0];
    const newName = oldNames.get(name);
    const old =
      newName === undefined ? oldNamePatterns.find(({ pattern }) => pattern.test(name)) : { word: name, say: newName };
    return old === undefined
      ? []
      : [{ start: match.index, end: match.index + name.length, word: old.word, say: old.say }];
  });
}

function lineStarts(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}
