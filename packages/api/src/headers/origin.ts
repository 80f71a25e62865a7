/** What an origin is, for messages. */
export const originForm = 'an origin such as https://graph.example, without a path, or *';

/**
 * Whether a text is `*`, or an origin as browsers send it, which is compared letter by letter: in lower case, without the port that is usual and
 * without anything behind it. Schemes that are no web have no such rules in `URL`.
 */
export function isOrigin(text: string): boolean {
  if (text === '*') return true;
  if (!URL.canParse(text)) return false;
  const { origin } = new URL(text);
  return origin === text || (origin === 'null' && /^[a-z][a-z\d+.-]*:\/\/[a-z\d.-]+(?::\d+)?$/.test(text));
}
