import { basename, join } from 'node:path';
import { expectOptions, FuzzError } from '@fuzzqe/core';
import { createAnswerer } from '@fuzzqe/core/query';
import { hashFile, makeFolder, pathExists, writeFileWhole } from '@fuzzqe/files';
import type { Dataset } from '../datasets/dataset.ts';
import type { QueryLine } from '../queries/query-line.ts';
import { readQueries } from '../queries/read-queries.ts';
import { queriesToJsonLines } from '../queries/write-queries.ts';
import { hasHeldOutFacts } from '../sampling/query-sets.ts';
import { expectHard, graphOf } from './expect-hard.ts';
import { isQuerySetName, type QuerySetRecord, querySetFiles } from './query-set-record.ts';

/** Which file becomes which set of a data set. */
export interface ImportQuerySetOptions {
  /** Of the data set. */
  readonly folder: string;
  readonly dataset: Dataset;
  /** Queries as JSON Lines, plain or `.gz`. */
  readonly file: string;
  readonly name: string;
  readonly part: 'valid' | 'test';
  readonly licence?: string;
  readonly source?: string;
  /** Whether a set of that name may be replaced. */
  readonly replace?: boolean;
  readonly signal?: AbortSignal;
}

/** What was imported, and what is to be known of it. */
export interface ImportedQuerySet {
  readonly record: QuerySetRecord;
  readonly path: string;
  /** Queries that do not list every hard answer that the graph has: those they leave out count as wrong answers. */
  readonly incomplete: number;
  /** Whether hard answers were held against the graph; not where it holds out no facts of the part. */
  readonly checked: boolean;
}

/**
 * Imports queries as a set of their own, beside those that were drawn and never mixed with them.
 *
 * Every query is held against the graph: easy answers, where a line gives them, must be the exact ones on the smaller
 * graph, and hard ones must be answers on the larger graph that are not easy. The set is written without easy answers,
 * which are computed whenever it is read.
 *
 * @throws FuzzError `usage`: a name that is none or is taken. `data`, with `path:line`: what `readQueries` throws, easy
 *   answers that are not those of the graph, hard answers that it does not give, a query without hard answers.
 *   `interrupted`.
 * @example
 * await importQuerySet({ folder: 'data/mine', dataset, file: 'asked.jsonl', name: 'asked', part: 'test' });
 */
export async function importQuerySet(options: ImportQuerySetOptions): Promise<ImportedQuerySet> {
  expectOptions('importQuerySet', options, ['folder', 'dataset', 'file', 'name', 'part']);
  const { folder, dataset, file, name, part, licence = 'unknown', source = '' } = options;
  const files = querySetFiles(folder, name);
  await expectFreeName(name, files.record, options.replace ?? false);
  const checked = hasHeldOutFacts(dataset, part);
  const { train, trainValid, full } = dataset.graphs();
  const [smaller, larger] = part === 'test' ? [trainValid, full] : [train, trainValid];
  const exact = createAnswerer(smaller);
  const derived = createAnswerer(larger);
  let incomplete = 0;
  const check = ({ structure, anchors, relations, easy, hard }: QueryLine, path: string): void => {
    if (options.signal?.aborted) throw new FuzzError('interrupted', 'import of queries: stopped', { path });
    const known = exact.answer(structure.template, anchors, relations);
    if (easy !== undefined) expectSame(easy, known.toArray(), path, part);
    if (hard.length === 0)
      throw bad(
        'hard: expected at least one answer, got none',
        path,
        'Such a query tells nothing: leave it out.',
      );
    expectHard(hard, known, part, path);
    if (!checked) return;
    const answers = derived.answer(structure.template, anchors, relations);
    const foreign = hard.find((entity) => !answers.has(entity));
    if (foreign !== undefined)
      throw bad(
        `hard: expected answers that ${graphOf[part].larger} give, got entity ${foreign}`,
        path,
        `Are the queries of another graph, or not of the part ${part} (--split)?`,
      );
    // Those listed are among them, each once, so that counting is enough.
    if (answers.toArray().filter((entity) => !known.has(entity)).length > hard.length) incomplete += 1;
  };
  const queries = await readQueries(file, { bounds: dataset.vocabulary, smaller, check });

  await makeFolder(join(folder, 'query-sets'));
  const { sha256 } = await writeFileWhole(files.queries, queriesToJsonLines(queries, { easy: false }));
  const record: QuerySetRecord = {
    format: 1,
    name,
    part,
    licence,
    source,
    structures: Object.fromEntries(queries.map(({ structure, count }) => [structure, count])),
    sha256,
    imported: { file: basename(file), sha256: await hashFile(file) },
  };
  await writeFileWhole(files.record, `${JSON.stringify(record, null, 2)}\n`);
  return { record, path: files.queries, incomplete, checked };
}

async function expectFreeName(name: string, record: string, replace: boolean): Promise<void> {
  if (!isQuerySetName(name) || ['train', 'valid', 'test', 'drawn', 'patterns'].includes(name))
    throw new FuzzError('usage', `expected a name for the set of queries, got ${JSON.stringify(name)}`, {
      hint: 'Small letters, digits, - and _, such as q2b; train, valid, test, drawn and patterns are the data set’s own.',
    });
  if (!replace && (await pathExists(record)))
    throw new FuzzError('usage', `the data set has a set of queries ${name} already`, {
      path: record,
      hint: 'Choose another name, or replace it (--replace).',
    });
}

function expectSame(
  given: Int32Array,
  exact: readonly number[] | Int32Array,
  path: string,
  part: 'valid' | 'test',
): void {
  const expected = new Set(exact);
  const listed = new Set(given);
  const [extra, lacking] = [given.find((id) => !expected.has(id)), exact.find((id) => !listed.has(id))];
  if (extra === undefined && lacking === undefined) return;
  const got = extra === undefined ? `none for entity ${lacking}` : `entity ${extra} beside them`;
  throw bad(
    `easy: expected the exact answers on ${graphOf[part].smaller}, got ${got}`,
    path,
    `Are the queries of another graph, or not of the part ${part} (--split)? Without "easy" they are computed.`,
  );
}

function bad(message: string, path: string, hint: string): FuzzError {
  return new FuzzError('data', message, { path, hint });
}
