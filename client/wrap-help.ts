import { Help } from 'commander';

const columns = 80;

/** Help in lines of 80 columns. Examples and lists, which are indented, stay as they are. */
export function wrapHelp(text: string): string {
  const help = new Help();
  const wrap = (line: string) => (line.startsWith(' ') ? line : help.boxWrap(line, columns));
  return text.split('\n').map(wrap).join('\n');
}
