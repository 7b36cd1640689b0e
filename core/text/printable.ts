/** As much of a text from outside is repeated in a message. */
const maxRepeatedNames = 80;

/**
 * A text from outside, fit for a terminal and a log: what would move the cursor, colour, or turn the direction of writing is written as
 * an escape (`\u001b`), and a long text is cut short. Control and format characters: Unicode categories Cc, Cf, Zl, Zp.
 */
export function printable(text: string, longest = maxRepeatedNames): string {
  const kept = text.length <= longest ? text : text.slice(0, longest).toWellFormed();
  const escaped = kept.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  return kept.length === text.length ? escaped : `${escaped}… (${text.length} characters)`;
}
