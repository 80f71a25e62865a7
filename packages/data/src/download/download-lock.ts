import { basename, dirname } from 'node:path';
import { FuzzError, schema } from '@fuzzqe/core';
import { pathExists, readWholeFile, takeLock, writeFileWhole } from '@fuzzqe/files';

const digest = schema.matching(/^[0-9a-f]{64}$/, '64 lower-case hexadecimal digits');
const lockFile = schema.object({
  format: schema.oneOf([1]),
  archives: schema.array(schema.object({ url: schema.string, sha256: digest })),
});

/** The SHA-256 of every archive that was downloaded and taken, by its address: what it was the first time it has to stay. */
export interface DownloadLock {
  /**
   * Holds an archive against the one that was first taken from that address.
   *
   * @throws FuzzError `data`: it was another.
   */
  expect(url: string, sha256: string): void;
  /** Whether an archive of that address was taken before. */
  has(url: string): boolean;
  /**
   * Adds an archive, in the order of addresses.
   *
   * @throws FuzzError `data`: another was added for that address meanwhile. `runtime`: another process keeps the lock.
   */
  record(url: string, sha256: string): Promise<void>;
}

/**
 * Reads a lock, or begins one where there is no such file.
 *
 * @throws FuzzError `data`: a file that is no lock.
 */
export async function openDownloadLock(path: string): Promise<DownloadLock> {
  const read = async (): Promise<ReadonlyMap<string, string>> => {
    if (!(await pathExists(path))) return new Map();
    const text = (await readWholeFile(path)).toString('utf8');
    const { archives } = schema.parseJson(lockFile, text, { code: 'data', what: 'lock of downloads', path });
    return new Map(archives.map(({ url, sha256 }) => [url, sha256]));
  };
  const expectIn = (archives: ReadonlyMap<string, string>, url: string, sha256: string): void => {
    const first = archives.get(url);
    if (first === undefined || first === sha256) return;
    throw new FuzzError('data', `archive: expected the SHA-256 ${first}, as the first time, got ${sha256}`, {
      path: url,
      hint: `It was kept, and not taken. If the publisher has a new one, take its address out of ${path}.`,
    });
  };
  const known = await read();
  return {
    has: (url) => known.has(url),
    expect: (url, sha256) => expectIn(known, url, sha256),
    async record(url, sha256) {
      const folder = dirname(path);
      const held = await takeLock({ folder, prefix: `.${basename(path)}.`, what: path, patience: 10_000 });
      try {
        // Read again: another download may have added its own by now.
        const all = new Map(await read());
        expectIn(all, url, sha256);
        const archives = [...all.set(url, sha256)]
          .map(([address, hash]) => ({ url: address, sha256: hash }))
          .sort((a, b) => (a.url < b.url ? -1 : 1));
        await writeFileWhole(path, `${JSON.stringify({ format: 1, archives }, null, 2)}\n`);
      } finally {
        await held.release();
      }
    },
  };
}
