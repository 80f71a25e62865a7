import { sha256Hex } from '@fuzzqe/bundle';
import { digestOf, headerBytes, type Place, pageBytes } from './runtime-image.ts';

/** Writes what beginning did to the memory of a runtime of some version as a file. */
export async function writeRuntimeImage(version: string, image: Uint8Array): Promise<Uint8Array> {
  const file = new Uint8Array(headerBytes + image.length);
  file.set(new TextEncoder().encode(`${version} ${await sha256Hex(image)}\n`));
  file.set(image, headerBytes);
  return file;
}

/** What is compared at once; an equal block between two changed ones ends a change. */
const blockBytes = 256;
/** The same for what was written before: each place is read by itself. */
const writtenBytes = 4096;

/** What became of the memory since `before`. */
export function changesOf(before: Uint8Array<ArrayBuffer>, { buffer }: WebAssembly.Memory): Uint8Array {
  const [old, now] = [new Int32Array(before.buffer), new Int32Array(buffer)];
  const written = blocksWhere(old, writtenBytes, (at) => old[at] !== 0);
  const runs = blocksWhere(now, blockBytes, (at) => now[at] !== (old[at] ?? 0));
  const header = [
    before.length / pageBytes,
    ...digestOf(before.buffer, written),
    buffer.byteLength / pageBytes,
    written.length,
    ...written.flatMap(({ from, length }) => [from, length]),
  ];
  let at = 4 * header.length;
  const image = new Uint8Array(runs.reduce((sum, { length }) => sum + 8 + length, at));
  const view = new DataView(image.buffer);
  for (const [i, value] of header.entries()) view.setUint32(4 * i, value, true);
  for (const { from, length } of runs) {
    view.setUint32(at, from, true);
    view.setUint32(at + 4, length, true);
    image.set(new Uint8Array(buffer, from, length), at + 8);
    at += 8 + length;
  }
  return image;
}

/** The blocks of a memory with such words, those next to each other as one. */
function blocksWhere(
  { length }: Int32Array,
  bytes: number,
  isSuch: (at: number) => boolean,
): readonly Place[] {
  const words = bytes / 4;
  const places: { readonly from: number; length: number }[] = [];
  for (let block = 0; block * words < length; block += 1) {
    const from = block * bytes;
    let at = block * words;
    while (at < (block + 1) * words && !isSuch(at)) at += 1;
    if (at === (block + 1) * words) continue;
    const last = places.at(-1);
    if (last !== undefined && last.from + last.length === from) last.length += bytes;
    else places.push({ from, length: bytes });
  }
  return places;
}
