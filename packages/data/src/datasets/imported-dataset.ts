import type { Vocabulary } from '@fuzzqe/core';
import type { LeftOut } from '../triples/triple-sink.ts';
import type { Dataset } from './dataset.ts';
import type { DatasetQueries } from './write-dataset.ts';

/** What an import had to leave out, and what it found wanting. */
export interface ImportCounts extends LeftOut {
  /** Numbers, dates, booleans and texts of entities that are kept. */
  readonly attributes: number;
  /** Further names and descriptions of entities that are kept. */
  readonly furtherNames: number;
  /** Facts that their file had already stated. */
  readonly duplicates: number;
  /** Held-out facts that an earlier part states. */
  readonly repeated: number;
  /** Held-out facts that an earlier part states the other way round, along an inverse. */
  readonly mirrored: number;
  /** Held-out facts about what no training fact names. */
  readonly dropped: number;
  /** Entities that are blank nodes. */
  readonly blankEntities: number;
  /** Entities that the names list and no training fact names. */
  readonly entitiesWithoutFacts: number;
  /** Keys of relations that the names list and no training fact has. */
  readonly relationsWithoutFacts: readonly string[];
  /** Keys that files of names have and no training fact names, where names do not number what there is: their lines are left out. */
  readonly unusedNames: readonly string[];
  /** How the files were read where nobody said how, in sentences, and the first bad lines. */
  readonly notes: readonly string[];
}

/** A dataset, its queries where the files have some, and what had to be left out. */
export interface ImportedDataset extends ImportCounts {
  readonly dataset: Dataset;
  readonly queries: DatasetQueries;
}

/** Returns the entities and relations of the vocabulary that no training fact names. */
export function entriesWithoutFacts(
  { entityCount, relationCount, relation }: Vocabulary,
  train: Int32Array,
): Pick<ImportCounts, 'entitiesWithoutFacts' | 'relationsWithoutFacts'> {
  const entities = new Uint8Array(entityCount);
  const relations = new Uint8Array(relationCount);
  for (let i = 0; i < train.length; i += 3) {
    entities[train[i]!] = 1;
    entities[train[i + 2]!] = 1;
    relations[train[i + 1]!] = 1;
  }
  const relationsWithoutFacts: string[] = [];
  for (let id = 0; id < relationCount; id += 2) {
    if (relations[id] === 0) relationsWithoutFacts.push(relation(id).key);
  }
  return {
    entitiesWithoutFacts: entities.reduce((count, seen) => count - seen, entityCount),
    relationsWithoutFacts,
  };
}
