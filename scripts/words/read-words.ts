/** A text as the words in it: what camelCase, kebab-case and line breaks join or part is told by single spaces. */
interface WordText {
  readonly words: string;
  /** For each character of `words`, the offset of what it stands for in the text. */
  readonly offsets: Uint32Array;
}

const lower = /[a-z0-9]/;
const upper = /[A-Z]/;
const letter = /[A-Za-z0-9]/;

/** A line break with what begins the next line: indentation, and the leader of a comment or a quotation. */
const lineBreak = /[ \t]*\n[ \t]*(?:(?:\/?\*+|\/\/+|#|>)(?!\/)[ \t]*)*/y;

/** Reads a text as words: `letNextStepOut`, `LET_NEXT-step-out` and a phrase over two lines of a comment all read alike. */
export function readWords(text: string): WordText {
  let words = '';
  const offsets: number[] = [];
  const add = (char: string, offset: number) => {
    words += char;
    offsets.push(offset);
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    const before = text.charAt(at - 1);
    lineBreak.lastIndex = at;
    const joined = char === '\n' || char === ' ' ? lineBreak.exec(text) : null;
    if (joined !== null) {
      add(' ', at);
      at += joined[0].length - 1;
    } else if ((char === '-' || char === '_') && letter.test(before) && letter.test(text.charAt(at + 1))) {
      add(' ', at);
    } else {
      if (upper.test(char) && beginsWord(before, text.charAt(at + 1))) add(' ', at);
      add(char.toLowerCase(), at);
    }
  }
  return { words, offsets: Uint32Array.from(offsets) };
}

/** Whether a capital letter begins a word inside an identifier: after a small letter, or as the last capital of several. */
function beginsWord(before: string, after: string): boolean {
  return lower.test(before) || (upper.test(before) && /[a-z]/.test(after));
}
