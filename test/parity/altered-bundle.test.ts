import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type BundleSource,
  bundlePaths,
  type FileEntry,
  parseManifest,
  readManifest,
  sha256Hex,
  verifyBundle,
} from '@fuzzqe/bundle';
import { createRandom, FuzzError, type Random } from '@fuzzqe/core';
import { folderSource } from '@fuzzqe/serve';
import { beforeAll, describe, expect, it } from 'vitest';
import { fixtureBundle } from '../fixtures/fixture-bundle.ts';

const flips = 1000;
const seed = 'byte flips';

interface Flip {
  readonly path: string;
  readonly at: number;
  /** What the byte is combined with by exclusive or: any other byte may take its place. */
  readonly mask: number;
}

describe(`a bundle of which one byte is altered, ${flips} times (seed "${seed}")`, () => {
  let files: ReadonlyMap<string, Uint8Array>;
  let digests: ReadonlyMap<string, FileEntry>;
  beforeAll(async () => {
    const { directory } = await fixtureBundle('product', 'trained');
    const paths = await folderSource(directory).list!();
    files = new Map(
      await Promise.all(paths.map(async (path) => [path, await readFile(join(directory, path))] as const)),
    );
    digests = new Map(
      await Promise.all([...files].map(async ([path, bytes]) => [path, await entryOf(bytes)] as const)),
    );
  });

  /** Every file in turn, any byte of it. */
  const drawFlip = (i: number, random: Random): Flip => {
    const path = [...files.keys()][i % files.size]!;
    return { path, at: random.below(files.get(path)!.length), mask: 1 + random.below(255) };
  };
  const altered = ({ path, at, mask }: Flip): Uint8Array => {
    const bytes = Uint8Array.from(files.get(path)!);
    bytes[at]! ^= mask;
    return bytes;
  };
  /** The bundle in memory with one file in another state; digests of the others are known already. */
  const sourceWith = (path: string, bytes: Uint8Array): BundleSource => ({
    location: 'memory',
    read: async (wanted) => (wanted === path ? bytes : files.get(wanted)!),
    measure: async (wanted) => (wanted === path ? entryOf(bytes) : digests.get(wanted)!),
    list: async () => [...files.keys()],
  });

  it('is refused by its verification every time, with the file named', async () => {
    const random = createRandom(seed);
    const missed: Flip[] = [];
    const flipped = new Set<string>();
    for (let i = 0; i < flips; i += 1) {
      const flip = drawFlip(i, random);
      flipped.add(flip.path);
      const refusal = await verifyBundle(sourceWith(flip.path, altered(flip))).catch((error) => error);
      const named =
        refusal instanceof FuzzError &&
        refusal.code === 'bundle' &&
        `${refusal.path} ${refusal.message}`.includes(flip.path);
      if (!named) missed.push(flip);
    }
    expect(missed).toEqual([]);
    expect([...flipped]).toEqual([...files.keys()]);
  });

  it('passes as it was, and would keep many a flip in its manifest without the digest there', async () => {
    const manifest = files.get(bundlePaths.manifest)!;
    const whole = sourceWith(bundlePaths.manifest, manifest);
    expect(await verifyBundle(whole)).toEqual(parseManifest(JSON.parse(new TextDecoder().decode(manifest))));
    const random = createRandom(seed, 'manifest');
    let kept = 0;
    for (let i = 0; i < 200; i += 1) {
      const flip = { path: bundlePaths.manifest, at: random.below(manifest.length), mask: 1 };
      const bytes = altered(flip);
      try {
        parseManifest(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
        kept += 1;
      } catch {}
      await expect(readManifest(sourceWith(flip.path, bytes))).rejects.toMatchObject({ code: 'bundle' });
    }
    expect(kept).toBeGreaterThan(0);
  });
});

async function entryOf(bytes: Uint8Array): Promise<FileEntry> {
  return { bytes: bytes.length, sha256: await sha256Hex(bytes) };
}
