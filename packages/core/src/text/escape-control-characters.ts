/**
 * Text with its control characters written out, as `\u001b`: a name out of a file must not move the cursor, clear the
 * screen or turn the direction of a line. Line feeds and tabs stay. What was valid JSON means the same as before.
 */
export function escapeControlCharacters(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
