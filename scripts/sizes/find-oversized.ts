/** The most lines of a file that people write. */
const maxLines = 300;

/** The most lines of a file under test/. */
const maxTestLines = 400;

/** Code and configuration; pages of documentation, data and lock files may have any length. */
const written = /\.(ts|cjs|sh|go|py|ya?ml)$/;

/** A file that has more lines than it may have. */
interface OversizedFile {
  readonly path: string;
  readonly lines: number;
  readonly max: number;
}

/** Finds the files that are too long, the longest first. `countLines` reads a file. */
export function findOversized(paths: readonly string[], countLines: (path: string) => number): OversizedFile[] {
  return paths
    .filter((path) => written.test(path))
    .map((path) => ({ path, lines: countLines(path), max: path.startsWith('test/') ? maxTestLines : maxLines }))
    .filter(({ lines, max }) => lines > max)
    .sort((a, b) => b.lines - a.lines);
}
