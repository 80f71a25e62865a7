import { RequestError } from '../errors/request-error.ts';
import { joinBytes, tooLarge } from './read-json.ts';

/** What a body of lines is held to. */
export interface LineLimits {
  /** Bytes of one line. */
  readonly line: number;
  /** Bytes of the body. */
  readonly body: number;
  /** Lines that are not empty. */
  readonly lines: number;
}

/** A line of a body. */
export interface Line {
  /** From 1, empty lines counted. */
  readonly number: number;
  /** Undefined where the line is over its limit. */
  readonly bytes: Uint8Array | undefined;
}

const lineFeed = 0x0a;

/**
 * The lines of a body as they come, without their ends and without empty ones.
 *
 * A line over its limit is skipped as it comes, and the next ones are read. What follows on a line too many is read and dropped:
 * a server may end the connection of a client whose request it has not read whole, and the client's next request with it.
 * @throws RequestError `too-large`: the body is, or has too many lines. What the stream throws where the connection breaks off.
 */
export async function* readLines(
  body: ReadableStream<Uint8Array> | null,
  limits: LineLimits,
): AsyncGenerator<Line, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  let pieces: Uint8Array[] = [];
  let [number, length, total, count] = [1, 0, 0, 0];
  const take = (piece: Uint8Array): void => {
    length += piece.length;
    // What is too long is counted and not kept.
    if (length <= limits.line) pieces.push(piece);
    else pieces = [];
  };
  const finish = (): Line[] => {
    const bytes = length > limits.line ? undefined : joinBytes(pieces, length);
    const found = { number, bytes };
    pieces = [];
    length = 0;
    number++;
    if (bytes !== undefined && isBlank(bytes)) return [];
    if (++count > limits.lines)
      throw new RequestError(
        'too-large',
        `body: expected at most ${limits.lines} lines, got more`,
        'Send the rest as another batch.',
      );
    return [found];
  };
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const { value } = chunk;
      total += value.length;
      if (total > limits.body) throw tooLarge(limits.body);
      let start = 0;
      for (let end = value.indexOf(lineFeed); end >= 0; end = value.indexOf(lineFeed, start)) {
        take(value.subarray(start, end));
        yield* finish();
        start = end + 1;
      }
      take(value.subarray(start));
    }
    yield* finish();
  } catch (error) {
    if (error instanceof RequestError) await drop(reader, limits.body - total);
    throw error;
  } finally {
    // Nobody waits for the rest; where all was read, or the client has gone away, this does nothing.
    reader.cancel().catch(() => undefined);
  }
}

/** Reads what is left of a body, up to so many bytes. */
async function drop(reader: ReadableStreamDefaultReader<Uint8Array>, bytes: number): Promise<void> {
  for (let left = bytes; left >= 0; ) {
    // A client that has gone away has nothing left.
    const chunk = await reader.read().catch(() => undefined);
    if (chunk?.value === undefined) return;
    left -= chunk.value.length;
  }
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
