/** Default maximum length, in characters, of untrusted text in a message. */
const defaultMaxLength = 80;

/**
 * Makes untrusted text safe for a terminal and a log. Control and format characters (Unicode categories Cc, Cf, Zl, Zp), which could move the
 * cursor, change colours, or reverse the direction of writing, become escapes such as `\u001b`. A long text is truncated.
 */
export function printable(text: string, maxLength = defaultMaxLength): string {
  const kept = text.length <= maxLength ? text : text.slice(0, maxLength).toWellFormed();
  const escaped = kept.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  return kept.length === text.length ? escaped : `${escaped}… (${text.length} characters)`;
}
