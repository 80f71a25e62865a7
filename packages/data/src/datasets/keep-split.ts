import { FuzzError, type Vocabulary } from '@fuzzqe/core';
import { createDataset, type Dataset, type DatasetGraphs } from './dataset.ts';
import { idsByKey } from './ids-by-key.ts';
import { keepRejections } from './keep-rejections.ts';
import { gather } from './split.ts';

/** For each id of a changed graph the id that the earlier graph has for the same key, or −1. */
export interface EarlierIds {
  readonly entities: Int32Array;
  /** Inverses included. */
  readonly relations: Int32Array;
}

/** How the facts of a changed graph differ from those before. */
export interface FactChanges {
  /** Facts of both graphs. */
  readonly kept: number;
  readonly added: number;
  readonly removed: number;
  /** Held-out facts of both graphs that are for training now, because a name would have no training fact. */
  readonly moved: number;
  /** Facts of both graphs that the changed graph had in another part. */
  readonly restored: number;
  /** Entities that the earlier graph lacks. */
  readonly newEntities: number;
  /** Relations that the earlier graph lacks, without inverses. */
  readonly newRelations: number;
  /** Links that are rejected in the changed graph. */
  readonly rejected: number;
  /** Links that are a fact of neither graph and were rejected, or whose rejection was taken back. */
  readonly judged: number;
}

/** A changed graph whose facts are in the parts that they were in. */
export interface KeptSplit {
  readonly dataset: Dataset;
  readonly earlier: EarlierIds;
  readonly changes: FactChanges;
}

/**
 * Gives the facts of a changed graph the parts that the earlier graph has them in.
 *
 * A new fact is in the part of the earlier facts between its two entities, else where the changed graph has it. A held-out fact
 * becomes a training fact, with all facts between its entities, if an entity or a relation has no other training fact.
 * If the changed graph does not say which links are rejected, earlier rejections stay, except of links that are facts now.
 *
 * @throws FuzzError `data`: fewer than half of the keys of either graph are known to the other.
 * @example
 * const { dataset, changes } = keepSplit(await readDataset('data/mine'), await readDataset('data/mine-today'));
 */
export function keepSplit(earlier: Dataset, changed: Dataset): KeptSplit {
  const ids = earlierIds(earlier.vocabulary, changed.vocabulary);
  expectSameNames(earlier, changed, ids);
  const [before, now] = [partsOf(earlier), partsOf(changed)];
  const triples = changed.graphs().full.forwardTriples();
  const { entityCount, relationCount } = changed.vocabulary;
  const parts = new Uint8Array(triples.length / 3);
  const partOfPair = new Map<number, number>();
  const pairOf = (fact: number): number => {
    const [head, tail] = [triples[3 * fact]!, triples[3 * fact + 2]!];
    return Math.min(head, tail) * entityCount + Math.max(head, tail);
  };
  const isNew = new Uint8Array(parts.length);
  let [kept, restored] = [0, 0];
  for (let fact = 0; fact < parts.length; fact++) {
    const [head, relation, tail] = [triples[3 * fact]!, triples[3 * fact + 1]!, triples[3 * fact + 2]!];
    const was = before(ids.entities[head]!, ids.relations[relation]!, ids.entities[tail]!);
    const is = now(head, relation, tail)!;
    parts[fact] = was ?? is;
    if (was === undefined) {
      isNew[fact] = 1;
      continue;
    }
    kept++;
    if (was !== is) restored++;
    const pair = pairOf(fact);
    partOfPair.set(pair, Math.min(was, partOfPair.get(pair) ?? was));
  }
  for (let fact = 0; fact < parts.length; fact++)
    if (isNew[fact] === 1) parts[fact] = partOfPair.get(pairOf(fact)) ?? parts[fact]!;
  const toTrain = pairsToTrain(triples, parts, { entityCount, relationCount, pairOf });
  let moved = 0;
  for (let fact = 0; fact < parts.length && toTrain.size > 0; fact++) {
    if (parts[fact] === 0 || !toTrain.has(pairOf(fact))) continue;
    parts[fact] = 0;
    if (isNew[fact] === 0) moved++;
  }
  const { rejected, judged } = keepRejections(
    earlier,
    changed,
    ids,
    (head, relation, tail) =>
      before(ids.entities[head]!, ids.relations[relation]!, ids.entities[tail]!) !== undefined,
  );
  const { graphs: _, rejected: __, ...rest } = changed;
  const split = {
    train: gather(triples, parts, 0),
    valid: gather(triples, parts, 1),
    test: gather(triples, parts, 2),
  };
  return {
    dataset: createDataset({
      ...rest,
      ...(earlier.split === undefined ? {} : { split: earlier.split }),
      ...split,
      ...(rejected === undefined ? {} : { rejected }),
    }),
    earlier: ids,
    changes: {
      newEntities: ids.entities.filter((id) => id < 0).length,
      newRelations: ids.relations.filter((id) => id < 0).length / 2,
      ...{ kept, moved, restored, added: parts.length - kept },
      ...{ rejected: (rejected?.length ?? 0) / 3, judged },
      removed: earlier.graphs().full.edgeCount / 2 - kept,
    },
  };
}

/** The pairs of entities whose facts must be for training, so that every name of a fact has a training fact. */
function pairsToTrain(
  triples: Int32Array,
  parts: Uint8Array,
  {
    entityCount,
    relationCount,
    pairOf,
  }: {
    readonly entityCount: number;
    readonly relationCount: number;
    readonly pairOf: (fact: number) => number;
  },
): ReadonlySet<number> {
  const entities = new Uint8Array(entityCount);
  const relations = new Uint8Array(relationCount);
  const use = (fact: number): void => {
    entities[triples[3 * fact]!] = 1;
    relations[triples[3 * fact + 1]!] = 1;
    entities[triples[3 * fact + 2]!] = 1;
  };
  for (let fact = 0; fact < parts.length; fact++) if (parts[fact] === 0) use(fact);
  const pairs = new Set<number>();
  for (let fact = 0; fact < parts.length; fact++) {
    const [head, relation, tail] = [triples[3 * fact]!, triples[3 * fact + 1]!, triples[3 * fact + 2]!];
    if (parts[fact] === 0 || (entities[head] === 1 && relations[relation] === 1 && entities[tail] === 1))
      continue;
    use(fact);
    pairs.add(pairOf(fact));
  }
  return pairs;
}

/** The part of a fact in a data set: 0 training, 1 validation, 2 test; undefined if it has no such fact. */
function partsOf(dataset: Dataset): (head: number, relation: number, tail: number) => number | undefined {
  const { train, trainValid, full }: DatasetGraphs = dataset.graphs();
  return (head, relation, tail) => {
    if (!full.has(head, relation, tail)) return undefined;
    return train.has(head, relation, tail) ? 0 : trainValid.has(head, relation, tail) ? 1 : 2;
  };
}

function earlierIds(earlier: Vocabulary, changed: Vocabulary): EarlierIds {
  const { entities, relations } = idsByKey(earlier);
  return {
    entities: Int32Array.from(
      { length: changed.entityCount },
      (_, id) => entities.get(changed.entity(id).key) ?? -1,
    ),
    relations: Int32Array.from(
      { length: changed.relationCount },
      (_, id) => relations.get(changed.relation(id).key) ?? -1,
    ),
  };
}

/** Refuses a graph of other things. */
function expectSameNames(earlier: Dataset, changed: Dataset, ids: EarlierIds): void {
  for (const [what, known, before] of [
    ['entities', ids.entities, earlier.vocabulary.entityCount],
    ['relations', ids.relations, earlier.vocabulary.relationCount],
  ] as const) {
    const shared = known.reduce((sum, id) => sum + (id < 0 ? 0 : 1), 0);
    if (2 * shared >= Math.max(before, known.length)) continue;
    throw new FuzzError(
      'data',
      `expected ${earlier.name} with changes, got another graph: ${shared} of its ${known.length} ${what} are among the ${before} of before`,
      {
        path: changed.name,
        hint: 'Names are compared by their keys. Train a run of its own on another graph: fuzzqe run.',
      },
    );
  }
}
