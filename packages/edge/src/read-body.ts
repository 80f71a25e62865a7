/** How much of a body is wanted. */
export interface BodyLimits {
  /** How many bytes it may have. */
  readonly most: number;
  /** How many it has, where that is known. */
  readonly size: number | undefined;
  /** What is thrown where it has more than it may. */
  tooLong(): Error;
  /** Hears how many bytes have come. */
  heard(length: number): void;
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
  const { most, size, tooLong, heard } = limits;
  // One byte more, so that the end is seen without other memory.
  let sofar: BodySoFar = { bytes: new Uint8Array((size ?? 65_535) + 1), length: 0, done: false };
  const reader = response.body === null ? undefined : readerOf(response.body);
  while (reader !== undefined && !sofar.done) {
    sofar = await reader.next(sofar);
    if (sofar.length > most) {
      await reader.cancel();
      throw tooLong();
    }
    if (!sofar.done) heard(sofar.length);
  }
  const { bytes, length } = sofar;
  return length * 2 < bytes.length ? bytes.slice(0, length) : bytes.subarray(0, length);
}

/** A reader into the memory that is there, where the platform has such: Workers give 4 kB at a time to any other. */
function readerOf(body: ReadableStream<Uint8Array>): BodyReader {
  try {
    const reader = body.getReader({ mode: 'byob' });
    return {
      async next(sofar) {
        const { bytes, length } = withSpace(sofar, 1);
        const { value, done } = await reader.read(bytes.subarray(length));
        // A body that was cancelled keeps the memory; nobody reads on then.
        if (value === undefined) return { bytes: new Uint8Array(), length: 0, done };
        return { bytes: new Uint8Array(value.buffer), length: length + value.length, done };
      },
      cancel: () => reader.cancel(),
    };
  } catch {
    return partsOf(body);
  }
}

function partsOf(body: ReadableStream<Uint8Array>): BodyReader {
  const reader = body.getReader();
  return {
    async next(sofar) {
      const { value, done } = await reader.read();
      if (value === undefined) return { ...sofar, done };
      const { bytes, length } = withSpace(sofar, value.length);
      bytes.set(value, length);
      return { bytes, length: length + value.length, done };
    },
    cancel: () => reader.cancel(),
  };
}

function withSpace(sofar: BodySoFar, wanted: number): BodySoFar {
  const { bytes, length, done } = sofar;
  if (length + wanted <= bytes.length) return sofar;
  const larger = new Uint8Array(Math.max(length + wanted, 2 * bytes.length));
  larger.set(bytes.subarray(0, length));
  return { bytes: larger, length, done };
}
