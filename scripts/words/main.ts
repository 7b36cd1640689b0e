import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../setup/sources.ts';
import { trackedFiles } from '../tracked-files.ts';
import { type FoundWord, findWords, isIgnored } from './find-words.ts';

// npm run check:words                 every banned word with file, line and column, and what to write instead; fails where there is one
// npm run check:words -- --summary    how often each stands there
// npm run check:words -- docs         in the files under docs only
const summary = process.argv.includes('--summary');
const folders = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const text = /\.(md|ts|cjs|sh|go|py|ya?ml|json)$|^bin\/|Dockerfile$/;

const found = trackedFiles()
  .filter((path) => text.test(path) && !isIgnored(path))
  .filter((path) => folders.length === 0 || folders.some((folder) => path.startsWith(folder)))
  .flatMap((path) => [
    // A file's own name is words too.
    ...findWords(path, path).map((one) => ({ ...one, path, line: 0 })),
    ...findWords(path, readFileSync(join(projectRoot, path), 'utf8')).map((one) => ({ ...one, path })),
  ]);

if (summary) printSummary(found);
else for (const one of found) console.log(`${one.path}:${one.line}:${one.column} ${one.found}: write ${one.say}`);
if (found.length > 0) process.exitCode = 1;

function printSummary(all: readonly (FoundWord & { readonly path: string })[]): void {
  const rows = [...Map.groupBy(all, ({ word }) => word)]
    .map(([word, ones]) => ({ word, times: ones.length, files: new Set(ones.map(({ path }) => path)).size }))
    .sort((a, b) => b.times - a.times);
  for (const { word, times, files } of rows) console.log(`${String(times).padStart(6)} ${word} (in ${files} files)`);
  console.log(`${String(all.length).padStart(6)} in all`);
}
