import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { storageError } from '@fuzzqe/files';
import { commas, forEachRecord } from '../files/delimited.ts';
import { readText } from '../files/lines.ts';
import { fetchNeo4j } from './fetch-neo4j.ts';
import { fetchPostgres } from './fetch-postgres.ts';
import { fetchSparql } from './fetch-sparql.ts';
import type { FetchedFile } from './fetched-file.ts';
import { isSourceAddress, parseSourceAddress, queryHints, type SourceAddress } from './source-address.ts';
import type { SourceTask } from './watch.ts';

/** How SPARQL endpoints and databases are asked. */
export interface SourceOptions {
  /** A file with the query of addresses that have none. */
  readonly queryFile?: string;
  /** Milliseconds for which a source may send nothing. Default 300 000. */
  readonly patience?: number;
  /** Stops the reading of a source, and closes its connection. */
  readonly signal?: AbortSignal;
}

/** Files that stand for sources while work goes on. */
export interface Sources {
  /** The file that stands for an address; any other path as it is. */
  fileOf(path: string): string;
  /** The address of a source, taken apart; undefined for any other path. */
  addressOf(path: string): SourceAddress | undefined;
  /** Puts addresses in the place of the files that stand for them. */
  shown(text: string): string;
  /** Files whose first line is one of titles. */
  readonly titled: ReadonlySet<string>;
  readonly notes: readonly string[];
}

const usualPatience = 300_000;

const fetchers = {
  sparql: fetchSparql,
  postgres: fetchPostgres,
  neo4j: fetchNeo4j,
} as const satisfies Record<string, (task: SourceTask) => Promise<FetchedFile>>;

/**
 * Reads the sources among some paths, each once, into temporary files, which stand for them in the work and are removed after it.
 *
 * A table is looked at before it is read, and a query may give other rows when it is asked again. Memory: a block of each.
 * The disk of temporary files takes what the source sends.
 *
 * @throws FuzzError `usage`: what `parseSourceAddress` throws; a query file or a form that fits no source; a table of fewer
 *   columns than three. What the source's reader throws. Whatever the work throws, with addresses in the place of files.
 */
export async function withSources<T>(
  paths: readonly (string | undefined)[],
  { queryFile, patience = usualPatience, signal, ...said }: SourceOptions & SaidOfColumns,
  work: (sources: Sources) => Promise<T>,
): Promise<T> {
  const wanted = [...new Set(paths)].filter(
    (path) => path !== undefined && isSourceAddress(path),
  ) as string[];
  if (wanted.length === 0) {
    if (queryFile === undefined) return work(noSources);
    throw new FuzzError('usage', 'query file: expected the address of a source to ask, got none', {
      path: queryFile,
      hint: 'Such as postgres://user@host/db. A file needs no query.',
    });
  }
  if (said.format !== undefined)
    throw new FuzzError('usage', `format: expected none for a source, got ${said.format}`, {
      hint: 'Leave it out: a source says itself what it sends.',
    });
  const query = queryFile === undefined ? undefined : await readText(queryFile);
  const addresses = wanted.map((address) => parseSourceAddress(address, query));
  return inTemporaryFolder(async (folder) => {
    const files = new Map<string, FetchedFile>();
    const shown = (text: string): string =>
      wanted.reduce(
        (sofar, path, i) => sofar.replaceAll(files.get(path)?.path ?? folder, addresses[i]!.place),
        text,
      );
    try {
      for (const [i, path] of wanted.entries()) {
        const own = join(folder, String(i));
        await mkdir(own);
        const address = addresses[i]!;
        const file = await fetchers[address.kind]({ address, folder: own, patience, signal });
        files.set(path, file);
        if (file.isTitled) await expectColumns(file, address, said);
      }
      return await work({
        fileOf: (path) => files.get(path)?.path ?? path,
        addressOf: (path) => addresses[wanted.indexOf(path)],
        shown,
        titled: new Set([...files.values()].flatMap(({ isTitled, path }) => (isTitled ? [path] : []))),
        notes: [...files.values()].flatMap(({ notes }) => notes),
      });
    } catch (error) {
      throw renamed(error, shown);
    }
  });
}

const noSources: Sources = {
  fileOf: (path) => path,
  addressOf: () => undefined,
  shown: (text) => text,
  titled: new Set(),
  notes: [],
};

/** The options of an import that say which form and columns its files have. */
interface SaidOfColumns {
  readonly format?: string | undefined;
  readonly columns?: string | undefined;
  readonly table?: string | undefined;
}

async function expectColumns(
  { path }: FetchedFile,
  { kind, place }: SourceAddress,
  { columns, table }: SaidOfColumns,
): Promise<void> {
  if (columns !== undefined || table !== undefined) return;
  let titles: string[] | undefined;
  await forEachRecord(path, commas, (record) => {
    titles = Array.from({ length: record.count }, (_, field) => record.text(field));
    throw seen;
  }).catch((error: unknown) => {
    if (error !== seen) throw error;
  });
  const found = titles ?? [];
  if (found.length >= 3) return;
  throw new FuzzError(
    'usage',
    `query: expected three columns, head, relation and tail, got ${found.length === 0 ? 'none' : `${found.length}: ${found.join(', ')}`}`,
    {
      path: place,
      hint:
        found.length === 2
          ? `For pairs without a relation: --columns 'head=1,relation="linked to",tail=2'.`
          : queryHints[kind],
    },
  );
}

/** Thrown to stop reading after the first record. */
const seen = new Error('seen');

function renamed(error: unknown, shown: (text: string) => string): unknown {
  if (!(error instanceof FuzzError)) return error;
  const { code, message, path, hint } = error;
  return new FuzzError(code, shown(message), {
    ...(path === undefined ? {} : { path: shown(path) }),
    ...(hint === undefined ? {} : { hint: shown(hint) }),
    cause: error,
  });
}

/** Does work in a folder that is removed after it, also where the process ends before. */
async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'fuzzqe-source-')).catch((cause: unknown) => {
    throw storageError('source: cannot be kept in a temporary folder', tmpdir(), cause);
  });
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work(folder);
  } finally {
    process.off('exit', remove);
    await rm(folder, { recursive: true, force: true });
  }
}
