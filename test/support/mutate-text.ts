/** A source of whole numbers from 0 to below `n` that gives the same ones for the same seed (mulberry32). */
export function seededPick(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * n);
  };
}

type Pick = (n: number) => number;
type Mutation = (lines: readonly string[], pick: Pick) => readonly string[];

const values = [
  '',
  'null',
  '0',
  '-1',
  '1e309',
  '.nan',
  '[]',
  '{}',
  '[[[[]]]]',
  '99999999999999999999999h',
  '0x10',
  'yes',
  '"\\u0000"',
  '"\\e[31m"',
  '!!binary aGk=',
  '!!set {a, b}',
  '!!timestamp 2001-01-01',
  '|\n    text\n    text',
  "'it''s'",
  '"unclosed',
  '100%',
  'http://user:secret@169.254.169.254/',
];
const keys = [
  '__proto__',
  'constructor',
  'toString',
  '<<',
  '? [a, b]',
  '? {a: b}',
  '~',
  '1',
  '"\\n"',
  'default/web',
  '',
];
const characters = [
  '\u0000',
  '\u001b',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\ud800',
  '\t',
  ':',
  '- ',
  '#',
  '&',
  '*',
  '{',
  ']',
  '"',
  '%',
  '\r',
];

const mutations: readonly Mutation[] = [
  (lines, pick) => lines.toSpliced(pick(lines.length), 1),
  (lines, pick) => lines.toSpliced(pick(lines.length), 0, at(lines, pick(lines.length))),
  (lines, pick) => swap(lines, pick(lines.length), pick(lines.length)),
  (lines, pick) => lines.slice(0, pick(lines.length) + 1),
  (lines, pick) => change(lines, pick, (line) => ` ${line}`),
  (lines, pick) => change(lines, pick, (line) => line.replace(/^ {1,2}/, '')),
  (lines, pick) => change(lines, pick, (line) => line.replace(/:.*$/, `: ${at(values, pick(values.length))}`)),
  (lines, pick) => change(lines, pick, (line) => line.replace(/[^ :-][^:]*:/, `${at(keys, pick(keys.length))}:`)),
  (lines, pick) => change(lines, pick, (line) => insert(line, pick, at(characters, pick(characters.length)))),
  (lines, pick) => change(lines, pick, (line) => insert(line, pick, String.fromCharCode(pick(65_536)))),
  (lines, pick) => change(lines, pick, (line) => line.repeat(1 + pick(4))),
  (lines, pick) => change(lines, pick, (line) => `- ${line}`),
  (lines, pick) => lines.toSpliced(pick(lines.length), 0, at(['---', '...', '%YAML 1.1', '%TAG ! !', '# x'], pick(5))),
  (lines, pick) => change(lines, pick, (line) => line.toUpperCase()),
  // Anchors and what refers to them, before, behind and inside what they name.
  (lines, pick) => change(lines, pick, (line) => line.replace(/: ?/, `: &${at(['a', 'b'], pick(2))} `)),
  (lines, pick) => change(lines, pick, (line) => line.replace(/: ?.*$/, `: *${at(['a', 'b', 'c'], pick(3))}`)),
  (lines, pick) =>
    lines.toSpliced(pick(lines.length), 0, `${' '.repeat(2 * pick(4))}<<: ${at(['*a', '1m', '{b: 1}'], pick(3))}`),
];

/** A text with one to four things wrong with it, or made odd. */
export function mutateText(text: string, pick: Pick): string {
  let lines: readonly string[] = text.split('\n');
  for (let left = 1 + pick(4); left > 0; left -= 1) {
    lines = mutations[pick(mutations.length)]?.(lines, pick) ?? lines;
    if (lines.length === 0) lines = [''];
  }
  return lines.join('\n');
}

function at<T extends string>(from: readonly T[], index: number): string {
  return from[index] ?? '';
}

function change(lines: readonly string[], pick: Pick, edit: (line: string) => string): readonly string[] {
  const index = pick(lines.length);
  return lines.with(index, edit(at(lines, index)));
}

function swap(lines: readonly string[], one: number, other: number): readonly string[] {
  return lines.with(one, at(lines, other)).with(other, at(lines, one));
}

function insert(line: string, pick: Pick, what: string): string {
  const place = pick(line.length + 1);
  return `${line.slice(0, place)}${what}${line.slice(place)}`;
}
