/** One import of another module: what a static or dynamic import, an import type or a re-export reads. */
interface ModuleImport {
  readonly specifier: string;
  /** Names as the other module exports them; `'all'` for a namespace, a dynamic import or `export *`. Empty for its effects alone. */
  readonly names: readonly string[] | 'all';
}

/** One name that a module exports. */
export interface ModuleExport {
  readonly name: string;
  readonly line: number;
  /** Whether the module itself uses the name beside declaring it. */
  readonly usedInside: boolean;
}

/** What a module takes from others and offers to them. */
interface ModuleFacts {
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
}

/** Everything whose contents are not code. A slash begins a regular expression only where no operand stands before it. */
const notCode = new RegExp(
  [
    String.raw`\/\/[^\n]*`,
    String.raw`\/\*[\s\S]*?\*\/`,
    String.raw`'(?:\\.|[^'\\\n])*'`,
    String.raw`"(?:\\.|[^"\\\n])*"`,
    '`(?:\\\\[\\s\\S]|[^`\\\\])*`',
    String.raw`(?<=(?:[(,=:[!&|?{};>]|\breturn|^)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*`,
  ].join('|'),
  'gm',
);

const fromClause = /^(import|export)\s+(?:type\s+)?([^'"();=]*?)\s*\bfrom\s+['"]([^'"]+)['"]/gm;
const bareImport = /^import\s+['"]([^'"]+)['"]/gm;
const callImport = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;
const declaration =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\s*\*?|class|interface|type|enum|const|let|var|namespace)\s+([\w$]+)/gm;
const exportList = /^export\s+(?:type\s+)?\{([^}]*)\}(?!\s*from)/gm;

/**
 * Reads the imports and exports of one formatted TypeScript module: statements begin in the first column. Patterns are enough for that;
 * TypeScript 7 has no stable parser to import yet. Default exports are left out: lint forbids them.
 */
export function scanModule(text: string): ModuleFacts {
  const code = blankOut(text, (token) => token[0] !== "'" && token[0] !== '"');
  return { imports: findImports(code), exports: findExports(code) };
}

/** Replaces the tokens that are not code and that are chosen by spaces; lines stay where they are. */
function blankOut(text: string, chosen: (token: string) => boolean): string {
  // What a template puts in is code.
  const blank = (part: string) => (part.startsWith('${') ? part : ' ');
  return text.replace(notCode, (token) => (chosen(token) ? token.replace(/\$\{[^}]*\}|[^\n]/g, blank) : token));
}

function findImports(code: string): ModuleImport[] {
  const clauses = [...code.matchAll(fromClause)].map(([, , clause = '', specifier = '']) => ({
    specifier,
    names: namesOf(clause),
  }));
  const bare = [...code.matchAll(bareImport)].map(([, specifier = '']) => ({ specifier, names: [] }));
  const calls = [...code.matchAll(callImport)].map(([, specifier = '']) => ({ specifier, names: 'all' as const }));
  return [...clauses, ...bare, ...calls];
}

function namesOf(clause: string): readonly string[] | 'all' {
  if (clause.includes('*')) return 'all';
  const listed = listedNames(/\{([^}]*)\}/.exec(clause)?.[1] ?? '').map(([name]) => name);
  return /^[\w$]/.test(clause) ? ['default', ...listed] : listed;
}

/** Names of `a, type b as c`: the first is the exporting module's, the second the one that it goes by afterwards. */
function listedNames(list: string): [string, string][] {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^type\s+/, ''))
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [name = '', alias = name] = entry.split(/\s+as\s+/);
      return [name, alias];
    });
}

function findExports(code: string): ModuleExport[] {
  const plain = blankOut(code, () => true);
  const declared = [...code.matchAll(declaration)].map((match) => ({ name: match[1] ?? '', index: match.index }));
  const listed = [...code.matchAll(exportList)].flatMap((match) =>
    listedNames(match[1] ?? '').map(([, alias]) => ({ name: alias, index: match.index })),
  );
  const byName = new Map([...declared, ...listed].map((one) => [one.name, one.index]));
  return [...byName].map(([name, index]) => ({
    name,
    line: code.slice(0, index).split('\n').length,
    usedInside: countWord(plain, name) > declared.filter((one) => one.name === name).length,
  }));
}

/** How often a name stands in code; `.name` is a property of something else, `...name` is not. */
function countWord(code: string, word: string): number {
  return code.split(new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${word.replaceAll('$', '\\$')}(?![\\w$])`)).length - 1;
}
