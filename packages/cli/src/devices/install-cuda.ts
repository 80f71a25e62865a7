import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FuzzError, schema } from '@fuzzqe/core';
import { unpackFolder } from '@fuzzqe/data';
import { fetchFile, hashFile, putInPlace, readAtMost } from '@fuzzqe/files';
import { runtimePackage } from '@fuzzqe/ort';
import { cudaProviderFiles, missingLibraries } from '@fuzzqe/train';

/** Which CUDA provider to install, from where and whereto. */
export interface InstallCudaOptions {
  /** 12 comes from NuGet by onnxruntime-node's own installer, 13 from the Python package onnxruntime-gpu. */
  readonly cuda: 12 | 13;
  /** A Python package index. Default PyPI. */
  readonly index?: string;
  /** Default: the folder that onnxruntime-node loads it from. */
  readonly folder?: string;
  /** The script that fetches the provider for CUDA 12. Default: onnxruntime-node's. */
  readonly installer?: string;
  /** Default: onnxruntime-node's, with which the provider must agree. */
  readonly version?: string;
  readonly onProgress?: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
  /** How often to go on after a connection that breaks. Default 5. */
  readonly retries?: number;
}

/** What was installed. */
export interface InstalledCuda {
  readonly files: readonly string[];
  /** Libraries that the provider needs and the loader does not find here. */
  readonly missing: readonly string[];
}

/**
 * Puts the files of onnxruntime-node's CUDA provider in place, each whole or not at all, and looks for what they need.
 *
 * @throws FuzzError `runtime`: no network, no such version, no installer. `data`: a download with another SHA-256 than the index says,
 *   or without the files.
 */
export async function installCuda(options: InstallCudaOptions): Promise<InstalledCuda> {
  const { folder = runtimePackage().libraries, cuda } = options;
  if (cuda === 12) await runOrtInstaller(folder, options.installer);
  else await installFromWheel({ ...options, folder });
  const files = cudaProviderFiles.map((file) => join(folder, file));
  return { files, missing: [...new Set(files.flatMap(missingLibraries))] };
}

async function runOrtInstaller(
  folder: string,
  script = join(runtimePackage().folder, 'script', 'install.js'),
): Promise<void> {
  // The offline archive leaves it out: what it runs downloads.
  if (!existsSync(script))
    throw new FuzzError(
      'runtime',
      'expected the installer of onnxruntime-node, got none in this installation',
      {
        path: script,
        hint: `Run fuzzqe install-cuda where npm installed fuzzqe, on a machine with a network, and copy the files that it names into ${folder}: docs/offline.md.`,
      },
    );
  const child = spawn(process.execPath, [script, '--onnxruntime-node-install=cuda12'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0)
    throw new FuzzError('runtime', `onnxruntime-node's installer ended with exit code ${code}`, {
      hint: 'Check the network; behind a proxy set GLOBAL_AGENT_HTTPS_PROXY.',
    });
}

async function installFromWheel(options: InstallCudaOptions & { readonly folder: string }): Promise<void> {
  const { folder, index = 'https://pypi.org/simple', version = runtimePackage().version, signal } = options;
  const wheel = await findWheel(`${index.replace(/\/$/, '')}/onnxruntime-gpu/`, version, signal);
  const archive = join(folder, wheel.name);
  await fetchFile({
    url: wheel.url,
    path: archive,
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    ...(options.retries === undefined ? {} : { retries: options.retries, retryDelay: 10 }),
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const sha256 = await hashFile(archive);
    if (sha256 !== wheel.sha256)
      throw new FuzzError('data', `download: expected SHA-256 ${wheel.sha256}, got ${sha256}`, {
        path: wheel.url,
        hint: 'The file was altered on its way or by the index; nothing was installed. Run the same command again.',
      });
    await extract(archive, folder);
  } finally {
    await rm(archive, { force: true });
  }
}

/** A file of the index. */
interface Wheel {
  readonly name: string;
  readonly url: string;
  readonly sha256: string;
}

const otherIndex = 'Check the network, or name another index with --index.';

/** The wheel of a version for Linux on x86-64; any Python's will do. Source: PEP 503, PEP 691. */
async function findWheel(page: string, version: string, signal: AbortSignal | undefined): Promise<Wheel> {
  const response = await fetch(page, {
    headers: { accept: 'application/vnd.pypi.simple.v1+json, text/html;q=0.5' },
    ...(signal === undefined ? {} : { signal }),
  }).catch((cause: unknown) => {
    throw new FuzzError('runtime', `the package index does not answer: ${String(cause)}`, {
      path: page,
      hint: otherIndex,
      cause,
    });
  });
  if (!response.ok)
    throw new FuzzError('runtime', `expected the package index, got ${response.status}`, {
      path: page,
      hint: otherIndex,
    });
  const text = await textOf(response, page);
  const json = response.headers.get('content-type')?.includes('json') ?? false;
  const files = json ? filesOfJson(text, page) : filesOfHtml(text, page);
  const wanted = new RegExp(`^onnxruntime_gpu-${version.replaceAll('.', '\\.')}-.*manylinux.*x86_64\\.whl$`);
  const found = files.find(({ name }) => wanted.test(name));
  if (found === undefined)
    throw new FuzzError('runtime', `onnxruntime-gpu has no version ${version} for Linux on x86-64`, {
      path: page,
      hint: 'Install the provider for CUDA 12: fuzzqe install-cuda --cuda 12.',
    });
  return { ...found, url: new URL(found.url, page).href };
}

/** The text of an index, which has a few MiB: one that never ends stops. */
async function textOf(response: Response, page: string): Promise<string> {
  const most = 64 * 2 ** 20;
  const { bytes, isWhole } = await readAtMost(response, most);
  if (!isWhole)
    throw new FuzzError('runtime', `expected the package index, got more than ${most} bytes`, {
      path: page,
      hint: otherIndex,
    });
  return bytes.toString('utf8');
}

const index = schema.partOf({
  files: schema.array(
    schema.partOf({
      filename: schema.string,
      url: schema.string,
      hashes: schema.partOf({ sha256: schema.optional(schema.string) }),
    }),
  ),
});

function filesOfJson(text: string, page: string): Wheel[] {
  const { files } = schema.parseJson(index, text, { code: 'runtime', what: 'list of packages', path: page });
  return files.flatMap(({ filename, url, hashes: { sha256 } }) =>
    sha256 === undefined ? [] : [{ name: filename, url, sha256 }],
  );
}

function filesOfHtml(text: string, page: string): Wheel[] {
  return [...text.matchAll(/href="([^"#]+)#sha256=([0-9a-f]{64})"/g)].map(([, url, sha256]) => ({
    name: decodeURIComponent(basename(new URL(url!, page).pathname)),
    url: url!,
    sha256: sha256!,
  }));
}

/** Unpacks the provider into a folder next to, and renames when all of it is on the disk. */
async function extract(archive: string, folder: string): Promise<void> {
  const unpacked = `${archive}.unpacked`;
  try {
    const found = await unpackFolder(archive, 'capi', unpacked, { only: cudaProviderFiles });
    const absent = cudaProviderFiles.filter((file) => !found.includes(file));
    if (absent.length > 0)
      throw new FuzzError('data', `archive: expected ${absent.join(', ')}, found none`, {
        path: archive,
        hint: 'The index has another build of this version: name another index with --index.',
      });
    for (const file of cudaProviderFiles) await putInPlace(join(unpacked, file), join(folder, file));
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}
