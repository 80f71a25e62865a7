import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FuzzError, schema } from '@fuzzqe/core';
import { readWholeFile } from '@fuzzqe/files';

/** What is known of a set of queries that was imported under a name of its own: `query-sets/<name>.json`. */
export interface QuerySetRecord {
  readonly format: 1;
  readonly name: string;
  /** Which facts the hard answers need: those held out for validation, or for the test. */
  readonly part: 'valid' | 'test';
  /** SPDX identifier, or `unknown`. */
  readonly licence: string;
  /** Where the queries come from, for people: an address, a paper. */
  readonly source: string;
  /** How many queries there are of each structure. */
  readonly structures: Readonly<Record<string, number>>;
  /** Of `query-sets/<name>.jsonl`. */
  readonly sha256: string;
  /** The file that was imported. */
  readonly imported: { readonly file: string; readonly sha256: string };
}

const digest = schema.string;
const record: schema.Schema<QuerySetRecord> = schema.object({
  format: schema.oneOf([1]),
  name: schema.string,
  part: schema.oneOf(['valid', 'test']),
  licence: schema.string,
  source: schema.string,
  structures: schema.record(schema.integer({ min: 1 })),
  sha256: digest,
  imported: schema.object({ file: schema.string, sha256: digest }),
});

/** Where a data set's folder has the set with a name: its queries, and what is known of them. */
export function querySetFiles(
  folder: string,
  name: string,
): { readonly queries: string; readonly record: string } {
  const path = join(folder, 'query-sets', name);
  return { queries: `${path}.jsonl`, record: `${path}.json` };
}

/** Whether a text can name a set; a path cannot, so that either can be asked for in one place. */
export function isQuerySetName(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text);
}

/**
 * What is known of the sets that lie in a data set's folder, by name.
 *
 * @throws FuzzError `data`: a record that is damaged.
 */
export async function listQuerySets(folder: string): Promise<readonly QuerySetRecord[]> {
  const names = await readdir(join(folder, 'query-sets')).catch(() => []);
  const found = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter(isQuerySetName)
    .sort();
  return Promise.all(found.map((name) => readRecord(querySetFiles(folder, name).record, name)));
}

async function readRecord(path: string, name: string): Promise<QuerySetRecord> {
  const read = schema.recogniseJson(record, (await readWholeFile(path)).toString('utf8'));
  if (read?.name === name) return read;
  throw new FuzzError('data', `expected the record of the query set ${name}, got something else`, {
    path,
    hint: 'Import the set again: fuzzqe data add-queries … --replace.',
  });
}
