import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePaths, modesOf, signaturePath, storedFiles, verifyBundle } from '@fuzzqe/bundle';
import { FuzzError } from '@fuzzqe/core';
import { copyNew, onDisk, systemErrorCode, writeFolderWhole, writeNewFile } from '@fuzzqe/files';
import { pageFolder } from '@fuzzqe/playground';
import { bundleFolder, folderSource, pageHeaders } from '@fuzzqe/serve';
import { gpuRuntimeOf } from '../options/gpu-runtime.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What `fuzzqe playground` was told. */
export interface PlaygroundFlags {
  /** A folder. */
  readonly out: string;
  /** Whether the site has the runtime for WebGPU, too. */
  readonly webgpu?: boolean;
}

/** By this file a site is recognised, and the page knows what it may ask. */
const config = 'playground.json';

/** What servers of files that read it send with every file: what `fuzzqe serve` sends with the page. */
const headers = `/*
${Object.entries(pageHeaders)
  .map(([name, value]) => `  ${name}: ${value}\n`)
  .join('')}  x-content-type-options: nosniff
/assets/*
  Cache-Control: public, max-age=31536000, immutable
/runtime-*
  Cache-Control: public, max-age=31536000, immutable
`;

/** Does `fuzzqe playground`: the page, and a bundle that is whole, as files that need no program behind them. */
export async function writePlayground(
  terminal: Terminal,
  bundle: string,
  { out, webgpu = false }: PlaygroundFlags,
): Promise<void> {
  const from = await bundleFolder(bundle, { onNote: terminal.note });
  const manifest = await verifyBundle(folderSource(from));
  if (!modesOf(manifest).includes('sets'))
    throw new FuzzError('usage', 'bundle: expected one with its facts, got one without', {
      path: from,
      hint: 'The page explains answers by them: export the run without --target workers.',
    });
  const page = fileURLToPath(pageFolder);
  const isBuilt = await stat(join(page, 'index.html')).catch(() => undefined);
  if (isBuilt === undefined)
    throw new FuzzError('config', 'expected the files of the playground, got none', {
      path: page,
      hint: 'Build it: npm run build.',
    });
  const path = resolve(out);
  const signature = await stat(join(from, signaturePath)).catch(() => undefined);
  const files = [
    bundlePaths.manifest,
    ...(signature === undefined ? [] : [signaturePath]),
    ...Object.keys(storedFiles(manifest)),
  ];
  const gpu = webgpu ? await gpuRuntimeOf(page) : undefined;
  const fill = async (temporary: string): Promise<void> => {
    await copyNew(page, temporary);
    for (const file of files) await copyNew(join(from, file), join(temporary, 'bundle', file));
    if (gpu !== undefined) await copyNew(gpu.file, join(temporary, gpu.path));
    const settings = { bundle: 'bundle/', ...(webgpu ? { webgpu } : {}) };
    await writeNewFile(join(temporary, config), `${JSON.stringify(settings)}\n`);
    await writeNewFile(join(temporary, '_headers'), headers);
  };
  await onDisk('site', path, () =>
    writeFolderWhole({ path, expectReplaceable: () => expectSite(path) }, fill),
  );
  terminal.note(`Wrote ${path}: the playground with ${manifest.name}, for any server of files`);
}

/** Throws: `usage` where what stands there is no site of this command. */
async function expectSite(path: string): Promise<void> {
  const found = await readdir(path).catch((cause: unknown): string[] => {
    if (systemErrorCode(cause) === 'ENOENT') return [];
    throw new FuzzError('usage', 'output folder: expected a folder, got a file', {
      path,
      hint: 'Choose another folder.',
      cause,
    });
  });
  if (found.length === 0 || found.includes(config)) return;
  throw new FuzzError(
    'usage',
    `output folder: expected a site or an empty or new folder, got ${found.length} other files`,
    {
      path,
      hint: 'Choose another folder; what stands there is left as it is.',
    },
  );
}
