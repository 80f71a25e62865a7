import { FuzzError } from '@fuzzqe/core';
import { sha256Hex } from '@fuzzqe/core/bundle';

/** From what the runtime begins, and who gets what it began with. */
export interface RuntimeStart {
  /** What beginning did to its memory somewhere else, from `openRuntimeImage`; undefined: it begins by itself. */
  image?: Uint8Array | undefined;
  /** Hears what beginning did to its memory where it began by itself. */
  onImage?: ((image: Uint8Array) => void) | undefined;
  /** Whether it has begun, and needs no memory any more. */
  begun?: boolean;
}

/** The export of the runtime's module that begins it, by version: its build has short names for all of them. */
const beginnings: Readonly<Record<string, string>> = { '1.30.0': 'Wa' };

/** With one thread and no messages, as `webSessions` has it. */
const beginsWith = [1, 4];

/**
 * Lets an instance of the runtime begin with the memory that it had after it began elsewhere, and returns its exports.
 *
 * Beginning registers every operator of every version of ONNX: 0.2 s of a processor for the same 3.5 MB each time. A runtime of another
 * version or with other arguments begins by itself.
 */
export function beginningFrom(
  { exports }: WebAssembly.Instance,
  imports: WebAssembly.Imports,
  version: string,
  start: RuntimeStart,
): WebAssembly.Exports {
  const name = beginnings[version];
  const begin = name === undefined ? undefined : exports[name];
  const memory = memoryIn(imports);
  if (name === undefined || typeof begin !== 'function' || memory === undefined) return exports;
  return {
    ...exports,
    [name]: (...given: readonly unknown[]): unknown => {
      start.begun = true;
      if (given.some((value, at) => value !== beginsWith[at])) return begin(...given);
      if (start.image !== undefined) {
        writeChanges(memory, start.image);
        start.image = undefined;
        return 0;
      }
      const { onImage } = start;
      const before = onImage && new Uint8Array(memory.buffer).slice();
      const status: unknown = begin(...given);
      if (status === 0 && before !== undefined) onImage?.(changesOf(before, memory));
      return status;
    },
  };
}

function memoryIn(imports: WebAssembly.Imports): WebAssembly.Memory | undefined {
  const values = Object.values(imports).flatMap((group) => Object.values(group));
  // By its name: the constructor may be another page's, or in a wrapper.
  const isMemory = (value: unknown): value is WebAssembly.Memory =>
    Object.prototype.toString.call(value) === '[object WebAssembly.Memory]';
  return values.find(isMemory);
}

const pageBytes = 65_536;
/** What is compared at once; an equal block between two changed ones ends a change. */
const blockBytes = 256;

/** The changed blocks: how many pages the memory has, then for each run of blocks its place, its length, and its bytes. */
function changesOf(before: Uint8Array, { buffer }: WebAssembly.Memory): Uint8Array {
  const [old, now] = [new Int32Array(before.buffer), new Int32Array(buffer)];
  const words = blockBytes / 4;
  const isChanged = (block: number): boolean => {
    for (let at = block * words; at < (block + 1) * words; at += 1)
      if (now[at] !== (old[at] ?? 0)) return true;
    return false;
  };
  const runs: [from: number, to: number][] = [];
  for (let block = 0; block * words < now.length; block += 1) {
    if (!isChanged(block)) continue;
    const from = block * blockBytes;
    const last = runs.at(-1);
    if (last?.[1] === from) last[1] += blockBytes;
    else runs.push([from, from + blockBytes]);
  }
  const image = new Uint8Array(runs.reduce((sum, [from, to]) => sum + 8 + to - from, 4));
  const view = new DataView(image.buffer);
  view.setUint32(0, buffer.byteLength / pageBytes, true);
  let at = 4;
  for (const [from, to] of runs) {
    view.setUint32(at, from, true);
    view.setUint32(at + 4, to - from, true);
    image.set(new Uint8Array(buffer, from, to - from), at + 8);
    at += 8 + to - from;
  }
  return image;
}

function writeChanges(memory: WebAssembly.Memory, image: Uint8Array): void {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  const missing = view.getUint32(0, true) - memory.buffer.byteLength / pageBytes;
  if (missing > 0) memory.grow(missing);
  const heap = new Uint8Array(memory.buffer);
  for (let at = 4; at < image.length; ) {
    const length = view.getUint32(at + 4, true);
    heap.set(image.subarray(at + 8, at + 8 + length), view.getUint32(at, true));
    at += 8 + length;
  }
}

/** A line of text before the memory: the version and the digest of what follows. */
const headerBytes = 128;

/** Writes what `onImage` heard of a runtime of some version as a file. */
export async function writeRuntimeImage(version: string, image: Uint8Array): Promise<Uint8Array> {
  const file = new Uint8Array(headerBytes + image.length);
  file.set(new TextEncoder().encode(`${version} ${await sha256Hex(image)}\n`));
  file.set(image, headerBytes);
  return file;
}

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
    hint: 'Copy it again from the package @fuzzqe/edge; without it the runtime begins by itself.',
  });
}
