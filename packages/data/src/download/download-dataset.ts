import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { expectOptions, FuzzError, withoutSecrets } from '@fuzzqe/core';
import { type FetchFileOptions, fetchFile, hashFile, makeFolder, pathExists, takeLock } from '@fuzzqe/files';
import { type ImportedBetaE, importBetaE } from '../betae/import-betae.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { expectNewFolder, writeDataset } from '../datasets/write-dataset.ts';
import { openDownloadLock } from './download-lock.ts';
import type { DownloadSource } from './sources.ts';
import { unpackFolder } from './unpack-folder.ts';

/** What to download, and how. */
export interface DownloadOptions
  extends Pick<FetchFileOptions, 'onProgress' | 'signal' | 'retries' | 'retryDelay'> {
  readonly name: string;
  readonly source: DownloadSource;
  /** The folder of the data set, which does not exist yet. */
  readonly out: string;
  /** Where to keep the archive; one that is there is used. Default: `<out>.zip`, removed when the data set is written. */
  readonly archive?: string;
  /** A file that remembers the SHA-256 of each address's archive: another one is refused from then on. Default: none. */
  readonly lock?: string;
  /** Called with each stage as it begins. */
  readonly onStage?: (stage: 'download' | 'check' | 'unpack' | 'import') => void;
}

/** A downloaded data set. */
export interface DownloadedDataset extends ImportedBetaE {
  /** Of the archive, in hex: also in the data set's origin. */
  readonly archiveSha256: string;
  /** Whether it was held against a hash of the archive that was known before. */
  readonly isChecked: boolean;
  /** Which parts were held against known digests of their facts. */
  readonly checkedFacts: readonly string[];
}

/**
 * Downloads a published data set, checks and unpacks it, and writes it as a data set with its queries.
 *
 * @throws FuzzError `usage`: the folder exists. `runtime`: another process downloads to the same archive. `data`: an archive with another SHA-256, which is removed, or MD5 or than the first time, which is kept; other facts than the published ones; what `fetchFile`,
 *   `unpackFolder`, `importBetaE` and `writeDataset` throw.
 * @example
 * import { downloadSources } from '@fuzzqe/data';
 * await downloadDataset({ name: 'nell995', source: downloadSources.nell995, out: 'data/nell995' });
 */
export async function downloadDataset(options: DownloadOptions): Promise<DownloadedDataset> {
  expectOptions('downloadDataset', options, ['name', 'source', 'out']);
  const { out, archive = `${out}.zip` } = options;
  await expectNewFolder(out);
  const folder = dirname(resolve(archive));
  await makeFolder(folder);
  // Two downloads would write into one part, and unpack into one folder.
  const lock = await takeLock({ folder, prefix: `${basename(archive)}.`, what: archive });
  try {
    return await downloadTo(archive, options);
  } finally {
    await lock.release();
  }
}

async function downloadTo(archive: string, options: DownloadOptions): Promise<DownloadedDataset> {
  const { name, source, out, signal, onStage } = options;
  const address = withoutSecrets(source.url);
  // Before anything is fetched: a lock that cannot be read is no lock.
  const lock = options.lock === undefined ? undefined : await openDownloadLock(options.lock);
  if (!(await pathExists(archive))) {
    onStage?.('download');
    await fetchFile({
      ...options,
      url: source.url,
      path: archive,
      ...(source.maxBytes === undefined ? {} : { maxBytes: source.maxBytes }),
    });
  }
  onStage?.('check');
  const archiveSha256 = await hashFile(archive);
  if (source.sha256 !== undefined && source.sha256.toLowerCase() !== archiveSha256) {
    await rm(archive);
    throw new FuzzError('data', `archive: expected the SHA-256 ${source.sha256}, got ${archiveSha256}`, {
      path: source.url,
      hint: 'It is not the file that was meant, and was removed. Check the address and the hash, and run it again.',
    });
  }
  const isConfirmed = source.sha256 === undefined && source.md5 !== undefined;
  if (isConfirmed) await expectMd5(archive, source.md5, archiveSha256);
  lock?.expect(address, archiveSha256);
  const unpacked = `${archive}.unpacked`;
  try {
    onStage?.('unpack');
    await unpackFolder(archive, source.folder, unpacked, { signal });
    onStage?.('import');
    const imported = await importBetaE({
      name,
      licence: source.licence,
      description: source.description,
      folder: unpacked,
      source: { url: address, archiveSha256 },
    });
    const checkedFacts =
      source.sha256 === undefined ? expectFacts(source, imported.dataset, archiveSha256) : [];
    const isKnown = lock?.has(address) === true;
    // Before the data set is there: where this fails, the same command can be given again.
    await lock?.record(address, archiveSha256);
    await writeDataset(out, imported.dataset, imported.queries);
    if (options.archive === undefined) await rm(archive);
    const isChecked = source.sha256 !== undefined || isConfirmed || isKnown;
    return { ...imported, archiveSha256, isChecked, checkedFacts };
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}

/** What only others say of the archive is no reason to throw it away. */
async function expectMd5(archive: string, expected: string, sha256: string): Promise<void> {
  const found = await hashFile(archive, 'md5');
  if (found === expected) return;
  throw new FuzzError('data', `archive: expected the MD5 ${expected}, got ${found}`, {
    path: archive,
    hint: `It was kept. If it is the right one all the same, run this again with --sha256 ${sha256}`,
  });
}

/**
 * Which parts have a known digest.
 *
 * @throws FuzzError `data`: one has another.
 */
function expectFacts(
  { facts = {}, url }: DownloadSource,
  dataset: Dataset,
  sha256: string,
): readonly string[] {
  const parts = (['train', 'valid', 'test'] as const).filter((part) => facts[part] !== undefined);
  for (const part of parts) {
    const { buffer, byteOffset, byteLength } = dataset[part];
    // Little-endian, as on every machine that onnxruntime-node is built for.
    const found = createHash('sha256')
      .update(new Uint8Array(buffer, byteOffset, byteLength))
      .digest('hex');
    if (found === facts[part]) continue;
    throw new FuzzError('data', `${part}: expected facts with the SHA-256 ${facts[part]}, got ${found}`, {
      path: url,
      hint: `They are not the published ones. If they are right all the same, run this again with --sha256 ${sha256}`,
    });
  }
  return parts;
}
