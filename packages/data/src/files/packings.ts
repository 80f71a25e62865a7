import { createGunzip } from 'node:zlib';
import { ZSTDDecoder } from 'zstddec/stream';
import { bunzip2 } from './bunzip2.ts';

/** One kind of compressed files. */
export interface Packing {
  readonly name: string;
  readonly magic: readonly number[];
  /** Gives what was packed, block by block; throws where it is damaged or cut short. */
  unpack(packed: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

/** The kinds, by the ending of a file's name. */
export const packings: ReadonlyMap<string, Packing> = new Map([
  ['gz', { name: 'gzip', magic: [0x1f, 0x8b], unpack: gunzip }],
  ['bz2', { name: 'bzip2', magic: [0x42, 0x5a, 0x68], unpack: bunzip2 }],
  ['zst', { name: 'Zstandard', magic: [0x28, 0xb5, 0x2f, 0xfd], unpack: unzstd }],
]);

/** What the names of compressed files end in; a zip archive of one file is one. */
export const packedEndings: readonly string[] = [...packings.keys(), 'zip'];

/** How a file is unpacked, by the ending of its name; undefined for a plain file, and for a zip archive. */
export function packingOf(path: string): Packing | undefined {
  return packings.get(/\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '');
}

/** A name without the ending of a compressed file. */
export function withoutPacking(path: string): string {
  return path.replace(/\.(?:gz|bz2|zst|zip)$/i, '');
}

/** What is wrong with a compressed file, where the reader can say it. */
export class PackingError extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

const unpackedBlock = 1 << 18;

/** Several members are one text; zeros after the last member are padding. Source: RFC 1952. */
async function* gunzip(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: unpackedBlock });
  let isOver = false;
  /** How many bytes came, and how many up to the last that is not zero. */
  let [read, filled] = [0, 0];
  let proceed: (() => void) | undefined;
  for (const event of ['drain', 'end', 'close', 'error'])
    unpacked.on(event, () => {
      isOver ||= event !== 'drain';
      proceed?.();
    });
  // What follows the last member ends the unzipping before the file, which a pipeline takes for a failure.
  const feed = async (): Promise<void> => {
    for await (const block of packed) {
      for (let at = block.length; at > 0; at--) {
        if (block[at - 1] === 0) continue;
        filled = read + at;
        break;
      }
      read += block.length;
      if (unpacked.destroyed) return;
      if (isOver || unpacked.write(block)) continue;
      await new Promise<void>((resolve) => {
        proceed = resolve;
      });
    }
    if (!isOver) unpacked.end();
  };
  const fed = feed().catch((error: unknown) => {
    unpacked.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  try {
    yield* unpacked as AsyncIterable<Buffer>;
    await fed;
  } finally {
    unpacked.destroy();
  }
  if (filled > unpacked.bytesWritten)
    throw new PackingError(
      `expected nothing after its last member, got ${read - unpacked.bytesWritten} bytes`,
      `Cut them off, where they are no part of the data: head -c ${unpacked.bytesWritten} FILE > NEW.gz.`,
    );
}

/** Several frames are one text; frames without text are passed over. Source: RFC 8878. */
async function* unzstd(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new ZSTDDecoder();
  await decoder.init();
  const source = packed[Symbol.asyncIterator]();
  let next = await source.next();
  let isTaken = false;
  const blocks = function* (): Generator<Buffer> {
    for (; next.done !== true; ) {
      isTaken = true;
      yield next.value;
    }
  };
  // The decoder gives something for each call, be it empty; where it is damaged, it gives nothing without end.
  let [idle, most] = [0, 0];
  try {
    for (const block of decoder.decodeStreaming(blocks())) {
      if (isTaken) {
        most = next.value?.length ?? 0;
        next = await source.next();
      }
      idle = isTaken || block.length > 0 ? 0 : idle + 1;
      isTaken = false;
      if (idle > most + 1) throw new Error('damaged');
      if (block.length > 0) yield Buffer.from(block.buffer, block.byteOffset, block.length);
    }
  } finally {
    await source.return?.();
  }
}
