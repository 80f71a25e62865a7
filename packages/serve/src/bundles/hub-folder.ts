import { readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundlePaths, readManifest, signaturePath, storedFiles } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import {
  fetchFile,
  hashFile,
  makeFolder,
  storageError,
  syncFolder,
  systemErrorCode,
  takeLock,
  writeFileWhole,
} from '@fuzzqe/files';
import { folderSource, locate } from '../bundle-source.ts';
import { type HubAddress, parseHubAddress } from './hub-address.ts';
import { type HubServer, type HubSettings, hubServer, isCommit, refusalOf } from './hub-server.ts';

/** How long one process waits for another that fetches the same. */
const patience = 30 * 60_000;
/** What a manifest and a signature may have, which no digest names. */
const mostOfManifest = 16 * 2 ** 20;

/**
 * The folder of a bundle of the Hugging Face Hub, fetched where the cache lacks it.
 *
 * A revision becomes a commit, and the cache has a folder a commit, which appears whole: every file compared with the manifest's
 * digests. What was cut off goes on from there. Where the Hub cannot be reached, the commit that the revision was the
 * last time stands in for it; a commit that is there is asked of nobody.
 * Source: https://huggingface.co/docs/hub/api
 *
 * @throws FuzzError `usage`: no address. `config`: settings that cannot be. `bundle`: no such repository, revision or file, no right
 * to read it, or files that are not those of the manifest. `runtime`: the Hub cannot be reached, and the cache has nothing.
 * `storage`: the disk refuses. `interrupted`.
 */
export async function hubFolder(path: string, settings: HubSettings = {}): Promise<string> {
  const address = parseHubAddress(path);
  const { onNote = () => {}, offline = process.env['HF_HUB_OFFLINE'] === '1' } = settings;
  const repository = join(settings.cache ?? cacheFolder(), 'hub', `${address.owner}--${address.name}`);
  try {
    const known = await knownCommit(repository, address);
    if (known !== undefined && (offline || isCommit(address.revision))) return join(repository, known);
    if (offline)
      throw new FuzzError(
        'runtime',
        'the cache does not have it, and HF_HUB_OFFLINE forbids to ask the Hub',
        {
          path,
          hint: 'Run once with a network, or unset HF_HUB_OFFLINE.',
        },
      );
    const server = hubServer(settings);
    let commit: string;
    try {
      commit = await server.commitOf(address);
    } catch (cause) {
      if (known === undefined || !(cause instanceof FuzzError) || cause.code !== 'runtime') throw cause;
      onNote(`${cause.message}: ${path} is the commit ${known} of the cache`);
      return join(repository, known);
    }
    const folder = join(repository, commit);
    if (!(await isThere(folder)))
      await fetchCommit(repository, commit, { address, server, settings, onNote });
    // So that it is found without the Hub.
    await makeFolder(join(repository, 'refs'));
    await writeFileWhole(refOf(repository, address), `${commit}\n`);
    return folder;
  } catch (cause) {
    const what = 'the cache of bundles cannot be written';
    const another = 'set FUZZQE_CACHE to another folder';
    if (systemErrorCode(cause) !== undefined) throw storageError(what, repository, cause, another);
    if (!(cause instanceof FuzzError) || cause.code !== 'storage') throw cause;
    throw new FuzzError('storage', `${what}: ${cause.message}`, {
      path: cause.path ?? repository,
      hint: `${cause.hint ?? ''} Or ${another}.`.trimStart(),
      cause,
    });
  }
}

interface Fetching {
  readonly address: HubAddress;
  readonly server: HubServer;
  readonly settings: HubSettings;
  readonly onNote: (line: string) => void;
}

/** Fetches the files of a commit next to its place, and puts them there when all are right. */
async function fetchCommit(repository: string, commit: string, fetching: Fetching): Promise<void> {
  await makeFolder(repository);
  const folder = join(repository, commit);
  const { signal } = fetching.settings;
  const lock = await takeLock({ folder: repository, prefix: `.${commit}.`, what: folder, patience, signal });
  try {
    // Another process may have fetched it meanwhile.
    if (await isThere(folder)) return;
    const partial = join(repository, `.${commit}.partial`);
    await makeFolder(partial);
    const { onNote, address } = fetching;
    const fetchOne = (path: string, maxBytes: number, isNeeded = true): Promise<void> =>
      fetchPath(path, { ...fetching, commit, partial, maxBytes, isNeeded });

    const shown = `hf://${address.owner}/${address.name}@${commit}`;
    // Where it came from: nobody finds the folder later.
    const source = { ...folderSource(partial), location: shown };
    await fetchOne(bundlePaths.manifest, mostOfManifest);
    const manifest = await readManifest(source).catch(async (cause: unknown) => {
      // Nothing that is wrong is gone on from.
      await rm(partial, { recursive: true, force: true });
      if (!(cause instanceof FuzzError) || cause.code !== 'bundle') throw cause;
      throw new FuzzError('bundle', cause.message, {
        path: `${shown}/${bundlePaths.manifest}`,
        ...(cause.hint === undefined ? {} : { hint: cause.hint }),
        cause,
      });
    });
    const files = Object.entries(storedFiles(manifest));
    const bytes = files.reduce((sum, [, file]) => sum + file.bytes, 0);
    onNote(`Fetching ${shown}: ${files.length} files, ${Math.ceil(bytes / 1e5) / 10} MB`);
    for (const [path, { bytes: size, sha256 }] of files) {
      const file = locate(partial, path);
      const isRight = async (): Promise<boolean> =>
        (await isThere(file)) && (await hashFile(file)) === sha256;
      if (await isRight()) continue;
      await rm(file, { force: true });
      await fetchOne(path, size);
      if (await isRight()) continue;
      await rm(file, { force: true });
      throw new FuzzError(
        'bundle',
        `expected a file with sha256 ${sha256}, as the manifest says, got another`,
        {
          path: `${shown}/${path}`,
          hint: 'It was removed. Try again; where it stays so, the repository is damaged.',
        },
      );
    }
    // Most bundles are not signed.
    await fetchOne(signaturePath, mostOfManifest, false);
    await syncFolder(partial);
    await rename(partial, folder);
    await syncFolder(repository);
  } finally {
    await lock.release();
  }
}

interface FetchingPath {
  readonly commit: string;
  readonly partial: string;
  readonly maxBytes: number;
  /** Whether it is an error that the repository lacks it. */
  readonly isNeeded: boolean;
}

async function fetchPath(
  path: string,
  {
    address,
    server,
    settings: { signal, retries = 3, retryDelay = 1000 },
    commit,
    partial,
    maxBytes,
    isNeeded,
  }: Fetching & FetchingPath,
): Promise<void> {
  const target = locate(partial, path);
  await makeFolder(dirname(target));
  const url = server.urlOf(address, commit, path);
  try {
    await fetchFile({
      url,
      path: target,
      headers: server.headers,
      maxBytes,
      retries,
      retryDelay,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    if (!(cause instanceof FuzzError)) throw cause;
    const status = 'status' in cause ? Number(cause.status) : undefined;
    if (status === 404) {
      if (!isNeeded) return;
      throw new FuzzError('bundle', `${path}: the repository has no such file`, {
        path: `hf://${address.owner}/${address.name}@${commit}`,
        hint: 'It is no bundle, or not all of one: fuzzqe export --target hf writes one.',
        cause,
      });
    }
    if (status !== undefined) {
      const hasToken = 'authorization' in server.headers;
      const refusal = refusalOf(status, { ...address, revision: commit }, hasToken);
      throw new FuzzError('bundle', `${path}: ${refusal.message}`, {
        ...(refusal.path === undefined ? {} : { path: refusal.path }),
        ...(refusal.hint === undefined ? {} : { hint: refusal.hint }),
        cause,
      });
    }
    if (cause.code !== 'data') throw cause;
    throw new FuzzError('bundle', `expected a file of ${maxBytes} bytes, as the manifest says, got more`, {
      path: url,
      cause,
    });
  }
}

/** The commit of the cache that an address stands for, as far as is known. */
async function knownCommit(repository: string, address: HubAddress): Promise<string | undefined> {
  const commit = isCommit(address.revision)
    ? address.revision
    : (await readFile(refOf(repository, address), 'utf8').catch(() => '')).trim();
  return isCommit(commit) && (await isThere(join(repository, commit))) ? commit : undefined;
}

const refOf = (repository: string, { revision }: HubAddress): string =>
  join(repository, 'refs', encodeURIComponent(revision));

function cacheFolder(): string {
  const { FUZZQE_CACHE: own, XDG_CACHE_HOME: common } = process.env;
  return own || join(common || join(homedir(), '.cache'), 'fuzzqe');
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
