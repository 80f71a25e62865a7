/** How much of a body is wanted. */
export interface BodyLimits {
  /** How many bytes it may have. */
  readonly most: number;
  /** How many it has, where that is known. */
  readonly size: number | undefined;
  /** What is thrown where it has more than it may. */
  tooLong(): Error;
  /** Hears how many bytes have come, as long as the body is wanted. */
  heard(length: number): void;
  /** Raised where the body is not wanted any more. */
  readonly signal: AbortSignal;
}

/** A body as far as it has come. */
interface BodySoFar {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly length: number;
  readonly done: boolean;
}

/** Reads the next part; the memory that it is given is not to be used any more. */
interface BodyReader {
  next(sofar: BodySoFar): Promise<BodySoFar>;
  cancel(): Promise<void>;
}

/** A body in memory once, wherever its length is known: weights are most of what a Worker has. */
export async function readBody(response: Response, limits: BodyLimits): Promise<Uint8Array> {
  const { most, size, tooLong, heard, signal } = limits;
  if (response.body === null) return new Uint8Array();
  const reader = readerOf(response.body, size ?? 0);
  // What comes of a body that nobody wants is of no interest.
  const stop = (): unknown => reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    let sofar: BodySoFar = { bytes: new Uint8Array(size ?? partBytes), length: 0, done: false };
    while (!sofar.done) {
      sofar = await reader.next(sofar);
      signal.throwIfAborted();
      if (sofar.length > most) {
        stop();
        throw tooLong();
      }
      if (!sofar.done) heard(sofar.length);
    }
    const { bytes, length } = sofar;
    return length * 2 < bytes.length ? bytes.slice(0, length) : bytes.subarray(0, length);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** What is read at once of a body beyond the length that is known. */
const partBytes = 65_536;

/** A reader into the memory that is there as far as the length is known, where the platform has such: Workers give 4 kB at a time to any other. */
function readerOf(body: ReadableStream<Uint8Array>, size: number): BodyReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: 'byob' });
  } catch {
    return partsOf(body);
  }
  return {
    async next(sofar) {
      if (sofar.length >= size) {
        // Workers with a compatibility date before 2024-06-01 keep the memory in which the end is read: it is read in another.
        const spare = new Uint8Array(size > 0 && sofar.length === size ? 1 : partBytes);
        const { value, done } = await reader.read(spare);
        return value === undefined ? { ...sofar, done } : appended(sofar, value, done);
      }
      const { value, done } = await reader.read(sofar.bytes.subarray(sofar.length));
      if (value === undefined) throw new Error(`expected ${size} bytes, got ${sofar.length}`);
      return { bytes: new Uint8Array(value.buffer), length: sofar.length + value.length, done };
    },
    cancel: () => reader.cancel(),
  };
}

function partsOf(body: ReadableStream<Uint8Array>): BodyReader {
  const reader = body.getReader();
  return {
    async next(sofar) {
      const { value, done } = await reader.read();
      return value === undefined ? { ...sofar, done } : appended(sofar, value, done);
    },
    cancel: () => reader.cancel(),
  };
}

function appended({ bytes, length }: BodySoFar, part: Uint8Array, done: boolean): BodySoFar {
  const end = length + part.length;
  const space = end <= bytes.length ? bytes : new Uint8Array(Math.max(end, 2 * bytes.length));
  if (space !== bytes) space.set(bytes.subarray(0, length));
  space.set(part, length);
  return { bytes: space, length: end, done };
}
