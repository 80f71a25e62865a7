import { checkMediaType, decode, readBody } from './read-json.ts';

/** What a body of text has to be. */
export interface TextRules {
  /** The media types that are taken, in lower case. */
  readonly types: readonly string[];
  /** The most bytes. */
  readonly limit: number;
  /** How to send one. */
  readonly hint: string;
}

/**
 * Reads a body as UTF-8, strictly and within a limit.
 *
 * @throws RequestError `media-type`, `too-large`, `encoding`, or `syntax` where the connection broke off.
 */
export async function readText(request: Request, { types, limit, hint }: TextRules): Promise<string> {
  checkMediaType(request.headers, types);
  return decode(await readBody(request, limit, hint), 'body', hint);
}
