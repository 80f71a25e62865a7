import { expectOptions, FuzzError } from '@fuzzqe/core';
import { countMirrored } from '../datasets/count-mirrored.ts';
import { createDataset, type DatasetOrigin } from '../datasets/dataset.ts';
import { entriesWithoutFacts, type ImportedDataset } from '../datasets/imported-dataset.ts';
import type { DatasetQueries } from '../datasets/write-dataset.ts';
import { countReading, type ReadingProgress } from '../files/reading-progress.ts';
import { readQueries } from '../queries/read-queries.ts';
import { deduplicateParts } from '../triples/deduplicate-parts.ts';
import { readTriples } from '../triples/read-triples.ts';
import { numericIds } from '../triples/triple-names.ts';
import { nothingLeftOut, type UnknownNames } from '../triples/triple-sink.ts';
import { type MirroredFacts, removeInverseFacts } from './inverse-facts.ts';
import { listFolder, type Part, parts } from './layout.ts';
import { readBetaENames } from './read-names.ts';
import { readPickledQueries } from './read-queries.ts';

/** Where a folder in the BetaE layout is and what to call it. */
export interface ImportBetaEOptions {
  readonly name: string;
  /** SPDX identifier. Default `unknown`. */
  readonly licence?: string;
  readonly description?: string;
  readonly folder: string;
  /** What to do with held-out facts about ids beyond the names. Default `refuse`. */
  readonly unknown?: UnknownNames;
  readonly onProgress?: ReadingProgress;
  /** Where the folder was unpacked from. */
  readonly source?: Pick<DatasetOrigin, 'url' | 'archiveSha256'>;
}

/** An imported folder, and how many of its queries are of other structures than the 14. */
export interface ImportedBetaE extends ImportedDataset {
  readonly otherStructures: number;
}

/**
 * Makes a dataset from a folder in the layout of the BetaE data sets, which KGReasoning and its successors read.
 *
 * train.txt, and valid.txt and test.txt where they are, hold ids; relation 2k+1 is the inverse of 2k. Queries are read
 * from pickles, or from `<part>-queries.jsonl`, whose easy answers are computed where a line gives none.
 *
 * @throws FuzzError `data`: what `readBetaENames`, `readTriples`, `removeInverseFacts` and `readPickledQueries` throw.
 * @example
 * const betae = await importBetaE({ folder: 'FB15k-237-betae', name: 'fb15k-237' });
 */
export async function importBetaE(options: ImportBetaEOptions): Promise<ImportedBetaE> {
  expectOptions('importBetaE', options, ['name', 'folder']);
  const { name, licence = 'unknown', description = '', folder, unknown = 'refuse' } = options;
  const files = await listFolder(folder);
  const vocabulary = await readBetaENames(files);
  const { entityCount } = vocabulary;
  const names = numericIds(vocabulary);
  // The facts; queries follow in files of their own.
  const onRead = await countReading(
    parts.map((part) => files.find(`${part}.txt`)),
    options.onProgress,
  );
  const facts: Partial<Record<Part, MirroredFacts>> = {};
  let dropped = 0;
  for (const part of parts) {
    const path = files.find(`${part}.txt`);
    if (path === undefined) continue;
    const file = await readTriples(path, { names, unknown: part === 'train' ? 'refuse' : unknown, onRead });
    dropped += file.dropped;
    facts[part] = await removeInverseFacts(file.triples, entityCount, path);
  }
  if (facts.train === undefined) {
    throw new FuzzError('data', 'folder: expected train.txt, found none', {
      path: folder,
      hint: 'The BetaE layout has train.txt, valid.txt and test.txt with ids, and stats.txt.',
    });
  }
  const none = new Int32Array(0);
  const distinct = deduplicateParts(
    { train: facts.train.triples, valid: facts.valid?.triples ?? none, test: facts.test?.triples ?? none },
    entityCount,
  );
  const dataset = createDataset({
    name,
    licence,
    description,
    vocabulary,
    train: distinct.train,
    valid: distinct.valid,
    test: distinct.test,
    origin: { format: 'betae', inverses: facts.train.inverses, ...options.source },
    split: 'given',
  });
  const { mirrored, notes } = countMirrored(distinct, vocabulary);
  const queries: { -readonly [P in Part]?: NonNullable<DatasetQueries[P]> } = {};
  let otherStructures = 0;
  for (const part of parts) {
    const pickled = await readPickledQueries(files, part, vocabulary);
    const lines = files.find(`${part}-queries.jsonl`);
    if (pickled !== undefined) {
      queries[part] = pickled.queries;
      otherStructures += pickled.otherStructures;
    } else if (lines !== undefined) {
      const { train, trainValid } = dataset.graphs();
      const smaller = part === 'test' ? trainValid : train;
      queries[part] = await readQueries(lines, { bounds: vocabulary, smaller });
    }
  }
  return {
    dataset,
    queries,
    duplicates: parts.reduce((sum, part) => sum + (facts[part]?.duplicates ?? 0), 0),
    repeated: distinct.repeated,
    mirrored,
    dropped,
    ...nothingLeftOut,
    blankEntities: 0,
    attributes: 0,
    furtherNames: 0,
    unusedNames: [],
    notes,
    otherStructures,
    ...entriesWithoutFacts(vocabulary, distinct.train),
  };
}
