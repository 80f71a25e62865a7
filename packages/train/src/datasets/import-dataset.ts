import { createRandom, createVocabulary, FuzzError, type NameEntry, type Vocabulary } from '@fuzzqe/core';
import { createDataset, type Dataset } from './dataset.ts';
import { distinctParts, type RawParts } from './distinct.ts';
import { readIdNames, readNames } from './read-names.ts';
import { readTriples, type TripleFile, type UnknownNames } from './read-triples.ts';
import { splitTriples } from './split.ts';
import { entriesFor, growingNames, knownKeys, numericIds, type TripleNames } from './triple-names.ts';

/** Where the facts of a graph stand and what to call it. */
export interface ImportOptions {
  readonly name: string;
  /** SPDX identifier. Default `unknown`. */
  readonly licence?: string;
  readonly description?: string;
  /**
   * What the columns of the triples hold: keys, or ids as in the BetaE data sets (relation 2k+1 is the inverse of 2k),
   * whose names files are then needed and begin each line with the id. Default `keys`.
   */
  readonly columns?: 'keys' | 'ids';
  /** A file of triples, `head TAB relation TAB tail`. */
  readonly train: string;
  /** Without valid and test, a tenth of the training facts is held out for each. */
  readonly valid?: string;
  readonly test?: string;
  /** Files of names, `key TAB label [TAB description]`. */
  readonly entities?: string;
  readonly relations?: string;
  /** What to do with held-out facts about what no training fact names. Default `refuse`. */
  readonly unknown?: UnknownNames;
  /** Seed of the split. Default 0. */
  readonly seed?: string | number;
}

/** A dataset, and what had to be left out of it. */
export interface ImportedDataset {
  readonly dataset: Dataset;
  /** Facts that their file had already stated. */
  readonly duplicates: number;
  /** Held-out facts that an earlier part states. */
  readonly repeated: number;
  /** Held-out facts about what no training fact names. */
  readonly dropped: number;
}

/**
 * Makes a dataset from files of triples as the field publishes them.
 *
 * Entities and relations are numbered as they first appear in the training file.
 *
 * @throws FuzzError `data`: what `readTriples` and `readNames` throw; one of valid and test without the other.
 */
export async function importDataset(options: ImportOptions): Promise<ImportedDataset> {
  const { name, licence = 'unknown', description = '', seed = 0, unknown = 'refuse' } = options;
  if ((options.valid === undefined) !== (options.test === undefined)) {
    throw new FuzzError('usage', 'import: expected a file for both valid and test or for neither, got one', {
      hint: 'Without both, a tenth of the training facts is held out for each.',
    });
  }
  const { train, names, vocabulary } = await (options.columns === 'ids'
    ? readIds(options)
    : readKeys(options));
  const held = async (path: string | undefined): Promise<TripleFile | undefined> =>
    path === undefined ? undefined : readTriples(path, names, unknown);
  const valid = await held(options.valid);
  const test = await held(options.test);
  const none = new Int32Array(0);
  const raw: RawParts = { train: train.triples, valid: valid?.triples ?? none, test: test?.triples ?? none };
  const { duplicates, repeated, ...parts } = distinctParts(raw, vocabulary);
  const split =
    valid === undefined
      ? splitTriples(parts.train, {
          entityCount: vocabulary.entityCount,
          valid: 0.1,
          test: 0.1,
          random: createRandom(name, 'split', seed),
        })
      : parts;
  const { train: t, valid: v, test: s } = split;
  return {
    dataset: createDataset({ name, licence, description, vocabulary, train: t, valid: v, test: s }),
    duplicates,
    repeated,
    dropped: (valid?.dropped ?? 0) + (test?.dropped ?? 0),
  };
}

/** The training facts, and the names by which the held-out facts are read. */
interface TrainingFile {
  readonly train: TripleFile;
  readonly names: TripleNames;
  readonly vocabulary: Vocabulary;
}

async function readKeys(options: ImportOptions): Promise<TrainingFile> {
  const growing = growingNames();
  const train = await readTriples(options.train, growing);
  const namesIn = async (path: string | undefined): Promise<ReadonlyMap<string, NameEntry>> =>
    path === undefined ? new Map() : readNames(path);
  const vocabulary = createVocabulary({
    entities: entriesFor(growing.entities, await namesIn(options.entities)),
    relations: entriesFor(growing.relations, await namesIn(options.relations)),
  });
  return { train, names: knownKeys(growing.entities, growing.relations), vocabulary };
}

async function readIds({ train, entities, relations }: ImportOptions): Promise<TrainingFile> {
  if (entities === undefined || relations === undefined) {
    throw new FuzzError('usage', 'import of ids: expected files with the names of entities and relations', {
      hint: 'Their lines are: id TAB key [TAB label]. The id of a relation and of its inverse each have one.',
    });
  }
  const vocabulary = createVocabulary({
    entities: await readIdNames(entities, false),
    relations: await readIdNames(relations, true),
  });
  const names = numericIds(vocabulary);
  return { train: await readTriples(train, names), names, vocabulary };
}
