import { FuzzError } from '@fuzzqe/core';

/** Most characters of a line: a compacted batch is larger than a batch that a caller appends. */
const longestLine = 2 ** 28;

/**
 * The lines of an answer, without empty lines.
 *
 * @throws FuzzError `runtime`: the last line breaks off. `data`: a line that is too long.
 */
export async function* readTextLines(body: AsyncIterable<Uint8Array> | null): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  for await (const bytes of body ?? []) {
    const [rest = '', ...next] = decoder.decode(bytes, { stream: true }).split('\n');
    pieces.push(rest);
    length += rest.length;
    for (const piece of next) {
      if (length > 0) yield pieces.join('');
      pieces = [piece];
      length = piece.length;
    }
    if (length > longestLine)
      throw new FuzzError('data', `line: expected at most ${longestLine} characters, got more`);
  }
  if (length > 0)
    throw new FuzzError('runtime', 'expected a whole answer, got one that breaks off', { passing: true });
}
