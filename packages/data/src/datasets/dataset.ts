import { createKnowledgeGraph, expectOptions, type KnowledgeGraph, type Vocabulary } from '@fuzzqe/core';
import type { Attributes, Provenances } from '@fuzzqe/names';
import { compareTriples } from '../triples/sort-triples.ts';

/** The graphs that easy and hard answers are told apart by. */
export interface DatasetGraphs {
  /** The training facts: all that a model sees. */
  readonly train: KnowledgeGraph;
  /** Training and validation facts: what is known when a model is tested. */
  readonly trainValid: KnowledgeGraph;
  /** All facts. */
  readonly full: KnowledgeGraph;
}

/** Where the files of a dataset came from, and what was made of them. */
export interface DatasetOrigin {
  /** The form of the files: `betae`, or one of `tripleFormats`. */
  readonly format: string;
  /** Whether inverse facts were added to those of the files, or stood in them, each beside its fact. */
  readonly inverses: 'added' | 'given';
  /** The archive that was downloaded, or the source that was asked, without credentials. */
  readonly url?: string;
  readonly archiveSha256?: string;
}

/** Who decided which facts are held out: this package at random, out of all facts there are, or whoever made the files. */
export const datasetSplits = ['drawn', 'given'] as const;
export type DatasetSplit = (typeof datasetSplits)[number];

/** A graph's names and its facts, split into those to learn from and those held out. */
export interface Dataset {
  readonly name: string;
  /** SPDX identifier of the licence of the facts, or `unknown`. */
  readonly licence: string;
  /** What it is, where it comes from and whom to credit: the text of a data card. */
  readonly description: string;
  readonly vocabulary: Vocabulary;
  /** Flat h, r, t with even r, each fact once, sorted by head, relation, tail; so are the other two. */
  readonly train: Int32Array;
  readonly valid: Int32Array;
  readonly test: Int32Array;
  /** Links that somebody rejected, which no part states; as `train`. Absent if the data say nothing of rejections. */
  readonly rejected?: Int32Array;
  readonly origin?: DatasetOrigin;
  /** Numbers, dates, booleans and texts of entities; absent without any. */
  readonly attributes?: Attributes;
  /** Where facts come from, how sure they are and when they hold; absent if nothing is said of any fact. Graphs have the facts alone. */
  readonly provenances?: Provenances;
  /** Absent where nothing is known of it, as of a folder that is kept by hand. */
  readonly split?: DatasetSplit;
  /** The three graphs, in memory that threads share; each is built when it is asked for and kept while somebody has it. */
  graphs(): DatasetGraphs;
}

/** What a dataset is made from. */
export type DatasetInput = Omit<Dataset, 'graphs'>;

/**
 * Puts a dataset together.
 *
 * @throws FuzzError `data` where a graph is first asked for: triples that do not fit the vocabulary, no training facts.
 */
export function createDataset(input: DatasetInput): Dataset {
  expectOptions('createDataset', input, ['name', 'vocabulary', 'train', 'valid', 'test']);
  const { entityCount, relationCount } = input.vocabulary;
  const graphOf = (...parts: readonly Int32Array[]): (() => KnowledgeGraph) => {
    let built: WeakRef<KnowledgeGraph> | undefined;
    return () => {
      const known = built?.deref();
      if (known !== undefined) return known;
      const graph = createKnowledgeGraph({
        entityCount,
        relationCount,
        triples: mergeTriples(parts.filter((part, i) => i === 0 || part.length > 0)),
        shared: true,
      });
      // Each is as large as the facts, and few steps need more than one.
      built = new WeakRef(graph);
      return graph;
    };
  };
  const { train, valid, test } = input;
  const ofTrain = graphOf(train);
  const ofTrainValid = valid.length === 0 ? ofTrain : graphOf(train, valid);
  const ofAll = test.length === 0 ? ofTrainValid : graphOf(train, valid, test);
  const graphs: DatasetGraphs = {
    get train() {
      return ofTrain();
    },
    get trainValid() {
      return ofTrainValid();
    },
    get full() {
      return ofAll();
    },
  };
  return { ...input, graphs: () => graphs };
}

/** The triples of all parts; in order where those of each are, by which a graph is indexed in half the time. */
function mergeTriples(parts: readonly Int32Array[]): Int32Array {
  return parts.reduce((merged, part) => {
    const both = new Int32Array(merged.length + part.length);
    let [i, j] = [0, 0];
    for (let to = 0; to < both.length; to += 3) {
      const isFirst = j >= part.length || (i < merged.length && compareTriples(merged, i, part, j) < 0);
      const [from, at] = isFirst ? [merged, i] : [part, j];
      if (isFirst) i += 3;
      else j += 3;
      both[to] = from[at]!;
      both[to + 1] = from[at + 1]!;
      both[to + 2] = from[at + 2]!;
    }
    return both;
  });
}
