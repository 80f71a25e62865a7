import { sha256Hex } from '@fuzzqe/core/bundle';
import { digestOf, headerBytes, pageBytes, startBytes } from './runtime-image.ts';

/** Writes what beginning did to the memory of a runtime of some version as a file. */
export async function writeRuntimeImage(version: string, image: Uint8Array): Promise<Uint8Array> {
  const file = new Uint8Array(headerBytes + image.length);
  file.set(new TextEncoder().encode(`${version} ${await sha256Hex(image)}\n`));
  file.set(image, headerBytes);
  return file;
}

/** What is compared at once; an equal block between two changed ones ends a change. */
const blockBytes = 256;

/** What became of the memory since `before`. */
export function changesOf(before: Uint8Array<ArrayBuffer>, { buffer }: WebAssembly.Memory): Uint8Array {
  const [old, now] = [new Int32Array(before.buffer), new Int32Array(buffer)];
  const words = blockBytes / 4;
  const isChanged = (block: number): boolean => {
    for (let at = block * words; at < (block + 1) * words; at += 1)
      if (now[at] !== (old[at] ?? 0)) return true;
    return false;
  };
  const runs: Run[] = [];
  for (let block = 0; block * words < now.length; block += 1) {
    if (!isChanged(block)) continue;
    const from = block * blockBytes;
    const last = runs.at(-1);
    if (last !== undefined && last.from + last.length === from) last.length += blockBytes;
    else runs.push({ from, length: blockBytes });
  }
  const image = new Uint8Array(runs.reduce((sum, { length }) => sum + 8 + length, startBytes));
  const view = new DataView(image.buffer);
  const header = [before.length / pageBytes, ...digestOf(before.buffer), buffer.byteLength / pageBytes];
  for (const [at, value] of header.entries()) view.setUint32(4 * at, value, true);
  let at = startBytes;
  for (const { from, length } of runs) {
    view.setUint32(at, from, true);
    view.setUint32(at + 4, length, true);
    image.set(new Uint8Array(buffer, from, length), at + 8);
    at += 8 + length;
  }
  return image;
}

interface Run {
  readonly from: number;
  length: number;
}
