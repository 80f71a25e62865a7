import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { FuzzError } from '@fuzzqe/core';

/** A file of a page, as it is sent. */
export interface PageFile {
  readonly type: string;
  /** Whether its name tells its content, so that it never changes. */
  readonly isHashed: boolean;
  read(): Promise<Uint8Array<ArrayBuffer>>;
  /** Its bytes by gzip, made once; nothing where that saves nothing. */
  compressed(): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.md': 'text/markdown; charset=utf-8',
  '.wasm': 'application/wasm',
};

/** Names that tell their content: Vite puts a hash before the ending, and the folder of the runtime has its version. */
const hashed = /^assets\/.+-[\w-]{8}\.\w+$|^runtime-[\d.]+\//;
const inZlib = promisify(gzip);

/**
 * The files of a built page by their paths: `index.html`, `assets/…`, and `more` that lie elsewhere. Nothing else in the folder is ever read.
 *
 * @throws FuzzError `config`: there is no page.
 */
export async function readPageFiles(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file): [string, string] => [relative(folder, file).split(sep).join('/'), file]);
  const pages = [...files, ...Object.entries(more)].map(([path, file]): [string, PageFile] => {
    let small: Promise<Uint8Array<ArrayBuffer> | undefined> | undefined;
    const read = async (): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await readFile(file));
    const compress = async (): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const bytes = await read();
      const packed = await inZlib(bytes);
      return packed.length < bytes.length ? new Uint8Array(packed) : undefined;
    };
    const page = {
      type: types[extname(file)] ?? 'application/octet-stream',
      isHashed: hashed.test(path),
      read,
      compressed() {
        small ??= compress().catch((cause: unknown) => {
          // Anyone who asks next tries again.
          small = undefined;
          throw cause;
        });
        return small;
      },
    };
    return [path, page];
  });
  const found = new Map(pages);
  if (found.has('index.html')) return found;
  throw new FuzzError('config', 'expected the files of the playground, got none', {
    path: folder,
    hint: 'Build it: npm run build.',
  });
}
