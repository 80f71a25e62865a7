import { access, readdir, readFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FuzzError, messageOf } from '@fuzzqe/core';
import { quoteArgument } from '@fuzzqe/core/text';
import {
  copyNew,
  onDisk,
  openRegularFile,
  storageError,
  systemErrorCode,
  writeFolderWhole,
  writeNewFile,
} from '@fuzzqe/files';
import { type TemplateName, templates } from './templates.ts';

/** What a new project is. */
export interface ProjectOptions {
  readonly folder: string;
  readonly template: TemplateName;
  /** A file of facts that is copied; the Countries graph without it. */
  readonly data?: string;
  /** The folder of a bundle that is copied, which somebody has verified. */
  readonly bundle?: string;
}

/** The examples, which the build copies next to itself. */
const examples = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../examples/' : './template/', import.meta.url),
);

/** How the script `model` begins in the examples. */
const countries = 'fuzzqe data countries --out data/countries && fuzzqe run data/countries ';

/** Written here, since npm takes a file of this name into no package. */
const npmrc = `# Nothing here needs the install script of a package, and that of onnxruntime-node downloads CUDA from api.nuget.org on Linux x64.
# Where CUDA is wanted, \`npx fuzzqe install-cuda\` fetches it.
ignore-scripts=true
`;

/**
 * Writes a project from a template, all of it or nothing, and returns the commands to go on with, as a POSIX shell takes them.
 *
 * @throws FuzzError `usage`: the folder has something in it, or is the current one. `data`: no such file. `storage`: the disk, or a template that is not there.
 */
export async function createProject({
  folder,
  template,
  data,
  bundle,
}: ProjectOptions): Promise<readonly string[]> {
  const { copied, named, ignored, bundle: place, making, next } = templates[template];
  const target = expectNewFolder(folder);
  await expectEmpty(target, folder);
  if (data !== undefined) await (await openRegularFile(data)).handle.close();
  const example = join(examples, template);
  for (const name of [...copied, ...named]) await expectTemplate(join(example, name));
  // The ending says what is in it.
  const facts =
    data === undefined
      ? undefined
      : `data/graph${/\.[a-z0-9]+(?:\.(?:gz|bz2|zst|zip))?$/i.exec(data)?.[0] ?? ''}`;
  // What makes the model from other facts would put it in the place of the bundle that was given.
  const keepsBundle = bundle !== undefined && facts === undefined;
  const fill = async (temporary: string): Promise<void> => {
    for (const name of copied)
      if (keepsBundle && name === 'README.md')
        await writeNewFile(join(temporary, name), withoutModel(await readFile(join(example, name), 'utf8')));
      else await copyNew(join(example, name), join(temporary, name));
    await writeNewFile(join(temporary, '.gitignore'), ignored.map((line) => `${line}\n`).join(''));
    await writeNewFile(join(temporary, '.npmrc'), npmrc);
    const name = projectName(basename(target), template);
    for (const file of named) {
      const text = await readFile(join(example, file), 'utf8');
      const renamed = text.replace(`"name": "fuzzqe-${template}"`, `"name": "${name}"`);
      const own = facts === undefined ? renamed : renamed.replace(countries, `fuzzqe run ${facts} `);
      await writeNewFile(join(temporary, file), keepsBundle ? withoutScripts(own, making) : own);
    }
    if (data !== undefined && facts !== undefined) await copyNew(data, join(temporary, facts));
    if (bundle !== undefined) await copyNew(bundle, join(temporary, place));
  };
  await onDisk('project', target, () =>
    writeFolderWhole({ path: target, expectReplaceable: () => expectEmpty(target, folder) }, fill),
  );
  return [
    // What begins with a dash would be an option of cd.
    `cd ${quoteArgument(folder.startsWith('-') ? `./${folder}` : folder)}`,
    'npm install',
    ...(bundle === undefined ? making.map((script) => `npm run ${script}`) : []),
    ...next,
  ];
}

/** Throws: `storage` where a file of the template cannot be read, as in an installation that is incomplete. */
async function expectTemplate(path: string): Promise<void> {
  await access(path).catch((cause: unknown) => {
    throw new FuzzError(
      'storage',
      `template: cannot be read (${systemErrorCode(cause) ?? messageOf(cause)})`,
      {
        path,
        hint: 'It is part of the package create-fuzzqe: install that again. Nothing was written.',
        cause,
      },
    );
  });
}

/** A manifest without these of its scripts. */
function withoutScripts(manifest: string, names: readonly string[]): string {
  return manifest.replace(new RegExp(`^ *"(?:${names.join('|')})": .*\\n`, 'gm'), '');
}

/** A README without what says how the bundle is made. */
function withoutModel(readme: string): string {
  return readme
    .split('\n')
    .map((line) => line.replace(/; [^|;]*`npm run (?:model|bundle)`[^|]*(?= \|)/, ''))
    .filter((line) => !/npm run (?:model|bundle)|`model`|Without a file of facts/.test(line))
    .join('\n');
}

/** The whole path. Throws: `usage` for none, and for the current folder and those above it, which cannot be put in place. */
function expectNewFolder(folder: string): string {
  const target = resolve(folder);
  const below = relative(target, process.cwd());
  if (folder.trim() !== '' && (below.startsWith('..') || resolve(below) === below)) return target;
  throw new FuzzError('usage', 'expected a new folder, got the current one or one above it', {
    path: folder,
    hint: 'Name the folder to make.',
  });
}

/** Throws: `usage` where something stands at the path that is no empty folder. */
async function expectEmpty(target: string, path: string): Promise<void> {
  const found = await readdir(target).catch((cause: unknown): string[] => {
    const code = systemErrorCode(cause);
    if (code === 'ENOENT') return [];
    if (code !== 'ENOTDIR')
      throw storageError('cannot read the folder', target, cause, 'nothing was written');
    throw new FuzzError('usage', 'expected a new or an empty folder, got a file', {
      path,
      hint: 'Name another folder; the file is left as it is.',
      cause,
    });
  });
  if (found.length === 0) return;
  throw new FuzzError('usage', `expected a new or an empty folder, got one with ${found.length} entries`, {
    path,
    hint: 'Name another folder.',
  });
}

/** A name that npm and Cloudflare take: letters of ASCII, digits and dashes between them, at most 63. */
function projectName(folder: string, template: TemplateName): string {
  const plain = folder.normalize('NFKD').replace(/\p{M}+/gu, '');
  const words = plain.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return words.replace(/^-/, '').slice(0, 63).replace(/-$/, '') || `fuzzqe-${template}`;
}
