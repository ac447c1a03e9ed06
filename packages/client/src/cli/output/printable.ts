/**
 * A text without the characters that control terminals or the direction of text: a job may contain what a stranger has
 * sent. Their escapes are those of JSON, so a JSON text keeps its meaning.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
