import { sha256Hex } from '@fuzzqe/bundle';
import { FuzzError, messageOf } from '@fuzzqe/core';

/** From what the runtime begins, and who gets what it began with. */
export interface RuntimeStart {
  /** What beginning did to its memory somewhere else, from `openRuntimeImage`; undefined: it begins by itself. */
  image?: Uint8Array | undefined;
  /** Hears where it began by itself: a copy of the memory before, and the memory after. */
  onBegun?: ((before: Uint8Array<ArrayBuffer>, after: WebAssembly.Memory) => void) | undefined;
  /** Hears that the image is not of this runtime, which begins by itself. */
  onOther?: ((why: FuzzError) => void) | undefined;
  /** Whether it has begun, and needs no memory any more. */
  begun?: boolean;
}

/** Names of one build of the runtime, which has short ones for all its exports and imports. */
interface RuntimeNames {
  /** The export that begins it. */
  readonly begin: string;
  /** The imports that count and give the variables of its environment. */
  readonly environmentSizes: string;
  readonly environment: string;
}

const namesOf: Readonly<Record<string, RuntimeNames>> = {
  '1.30.0': { begin: 'Wa', environmentSizes: 'Ha', environment: 'Ga' },
};

/** The names of a version of the runtime; undefined where they are not known. */
function runtimeNames(version: string): RuntimeNames | undefined {
  return namesOf[version];
}

/** With one thread and no messages, as `webSessions` has it. */
const beginsWith = [1, 4];

/**
 * The same imports without variables of the environment: they hold the language of the page, and would shift all memory behind them.
 *
 * Of a version that is not known the imports stay.
 */
export function withoutEnvironment(imports: WebAssembly.Imports, version: string): WebAssembly.Imports {
  const names = runtimeNames(version);
  const memory = memoryIn(imports);
  if (names === undefined || memory === undefined) return imports;
  const { environmentSizes, environment } = names;
  const empty = {
    [environmentSizes](count: number, bytes: number): number {
      const view = new DataView(memory.buffer);
      view.setUint32(count >>> 0, 0, true);
      view.setUint32(bytes >>> 0, 0, true);
      return 0;
    },
    [environment]: (): number => 0,
  };
  return Object.fromEntries(
    Object.entries(imports).map(([group, values]) => [
      group,
      environmentSizes in values && environment in values ? { ...values, ...empty } : values,
    ]),
  );
}

/**
 * Lets an instance of the runtime begin with the memory that it had after it began elsewhere, and returns its exports.
 *
 * Beginning registers every operator of every version of ONNX: 0.2 s of a processor for the same 3.5 MB each time. A runtime of another
 * version, with other arguments, or with other memory than the image was made from begins by itself.
 */
export function beginningFrom(
  { exports }: WebAssembly.Instance,
  imports: WebAssembly.Imports,
  version: string,
  start: RuntimeStart,
): WebAssembly.Exports {
  const name = runtimeNames(version)?.begin;
  const begin = name === undefined ? undefined : exports[name];
  const memory = memoryIn(imports);
  if (name === undefined || typeof begin !== 'function' || memory === undefined) return exports;
  return {
    ...exports,
    [name]: (...given: readonly unknown[]): unknown => {
      const { image, onBegun, onOther } = start;
      start.begun = true;
      start.image = undefined;
      const isSame =
        given.length === beginsWith.length && beginsWith.every((value, at) => given[at] === value);
      if (!isSame) return begin(...given);
      const other = image === undefined ? undefined : beginAs(memory, image);
      if (image !== undefined && other === undefined) return 0;
      const before = onBegun && new Uint8Array(memory.buffer).slice();
      const status: unknown = begin(...given);
      if (status === 0 && before !== undefined) onBegun?.(before, memory);
      if (other !== undefined) onOther?.(other);
      return status;
    },
  };
}

/** The memory among imports. */
function memoryIn(imports: WebAssembly.Imports): WebAssembly.Memory | undefined {
  const values = Object.values(imports).flatMap((group) => Object.values(group));
  // By its name: the constructor may be another page's, or in a wrapper.
  const isMemory = (value: unknown): value is WebAssembly.Memory =>
    Object.prototype.toString.call(value) === '[object WebAssembly.Memory]';
  return values.find(isMemory);
}

/** Of memory of WebAssembly. */
export const pageBytes = 65_536;
/**
 * Pages before, digest of the memory before, pages after, how many places of it the digest is of; these follow, each with its
 * length, and runs of changed blocks: place, length, bytes.
 */
const startBytes = 20;

/** How to mend an image that is of no use. */
export const imageHint =
  'Copy it from the @fuzzqe/edge of the script; without it the runtime begins by itself.';

/** Makes the memory what the image says, or leaves all bytes of it as they are and returns why. */
function beginAs(memory: WebAssembly.Memory, image: Uint8Array): FuzzError | undefined {
  try {
    const { pages, runs } = expectImageOf(memory, image);
    const missing = pages - memory.buffer.byteLength / pageBytes;
    if (missing > 0) memory.grow(missing);
    const heap = new Uint8Array(memory.buffer);
    for (const { from, bytes } of runs) heap.set(bytes, from);
    return undefined;
  } catch (cause) {
    return new FuzzError('runtime', `image of the runtime: ${messageOf(cause)}`, {
      hint: imageHint,
      cause,
    });
  }
}

/** Where the image writes what. Throws: it was made from other memory, or writes where there will be none. */
function expectImageOf(
  { buffer }: WebAssembly.Memory,
  image: Uint8Array,
): { readonly pages: number; readonly runs: { readonly from: number; readonly bytes: Uint8Array }[] } {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  const first = startBytes + 8 * view.getUint32(16, true);
  const written: Place[] = [];
  for (let [at, end] = [startBytes, 0]; at < first; at += 8) {
    const [from, length] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    // Nothing is read twice, however long the list.
    if (from < end) throw new RangeError(`${from}`);
    end = from + length;
    written.push({ from, length });
  }
  const had = [buffer.byteLength / pageBytes, ...digestOf(buffer, written)];
  if (had.some((value, at) => view.getUint32(4 * at, true) !== value))
    throw new Error('made from other memory');
  const pages = view.getUint32(12, true);
  const runs: { readonly from: number; readonly bytes: Uint8Array }[] = [];
  for (let at = first; at < image.length; ) {
    const [from, length] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const end = at + 8 + length;
    if (end > image.length || from + length > pages * pageBytes || pages < had[0]!)
      throw new Error(`writes beyond its ${pages} pages`);
    runs.push({ from, bytes: image.subarray(at + 8, end) });
    at = end;
  }
  return { pages, runs };
}

/** Some bytes of a memory, whole words. */
export interface Place {
  readonly from: number;
  readonly length: number;
}

/**
 * Two independent 32-bit digests of all words of some places: memory is compared where nothing can wait for SHA-256.
 *
 * The rest of a memory is what nobody wrote to, which WebAssembly has begin as zeros: 15 of 16 MB, and to look at them takes longer
 * than all else of beginning from an image.
 */
export function digestOf(buffer: ArrayBufferLike, places: readonly Place[]): readonly [number, number] {
  let [a, b] = [0x9747b28c | 0, 0x3c6ef372 | 0];
  for (const { from, length } of places) {
    const words = new Int32Array(buffer, from, length / 4);
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at]!;
      a = mixed(a, word, 0x1b873593);
      b = mixed(b, word, 0x85ebca6b);
    }
  }
  return [a >>> 0, b >>> 0];
}

/** A step like those of MurmurHash3. */
function mixed(digest: number, value: number, factor: number): number {
  const product = Math.imul(value, factor);
  const next = digest ^ Math.imul((product << 15) | (product >>> 17), 0x9e3779b1);
  return (Math.imul((next << 13) | (next >>> 19), 5) + 0xe6546b64) | 0;
}

/** A line of text before the memory: the version and the digest of what follows. */
export const headerBytes = 128;

/**
 * What is in such a file.
 *
 * @throws FuzzError `runtime`: of another version, cut off or altered.
 */
export async function openRuntimeImage(version: string, file: Uint8Array): Promise<Uint8Array> {
  const [header = ''] = new TextDecoder().decode(file.subarray(0, headerBytes)).split('\n');
  const image = file.subarray(headerBytes);
  const expected = `${version} ${await sha256Hex(image)}`;
  if (header === expected) return image;
  throw new FuzzError('runtime', `image of the runtime: expected ${expected}, got ${header.slice(0, 100)}`, {
    hint: imageHint,
  });
}
