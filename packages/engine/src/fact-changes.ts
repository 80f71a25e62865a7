import {
  type ChangedFacts,
  changedFacts,
  checkConfidences,
  checkTriples,
  type FactChanges,
  type FactConfidences,
  type KnowledgeGraph,
  type Vocabulary,
} from '@fuzzqe/core';
import { entailedGraph } from '@fuzzqe/evidence';
import type { FactsEpoch } from './ranker/facts-epoch.ts';

/** What a change of facts came to. */
export interface FactsChanged extends Pick<ChangedFacts, 'added' | 'removed'> {
  /** That of the first queries that are answered by it; the epoch before where nothing changed. */
  readonly epoch: number;
}

/** What changes of facts are made to. */
export interface ChangingFacts {
  /** The facts of now, and how often they have changed. */
  readonly facts: KnowledgeGraph;
  readonly epoch: number;
  /** Has everything that answers follow changed facts; they are those of now when it is done. */
  follow(graph: KnowledgeGraph, rows: Omit<FactsEpoch, 'epoch' | 'oldest'>): Promise<void>;
}

interface Waiting {
  readonly changes: FactChanges;
  resolve(changed: FactsChanged): void;
  reject(cause: unknown): void;
}

/** Makes changes of facts one after the other, each whole. */
export type FactChangesMaker = (of: ChangingFacts) => (changes: FactChanges) => Promise<FactsChanged>;

/**
 * Lets the facts of an engine change; what declared axioms entail follows.
 *
 * Changes that come while another is under way make one epoch together: a thousand changes a second wait for a few hundred answers of threads.
 *
 * @throws FuzzError, from a change: as `changedFacts`, for that change alone; what following throws, for all of its epoch.
 * @example
 * const mine = createEngine({ ...bundle, factChanges: factChangesOf(bundle.vocabulary) }, ranker);
 */
export function factChangesOf(vocabulary: Vocabulary): FactChangesMaker {
  return (of) => createFactChanges(of, (facts) => entailedGraph(facts, vocabulary));
}

function createFactChanges(
  of: ChangingFacts,
  entailedBy: (facts: KnowledgeGraph) => KnowledgeGraph | undefined,
): (changes: FactChanges) => Promise<FactsChanged> {
  let waiting: Waiting[] = [];
  let isBusy = false;
  const makeAll = async (all: readonly Waiting[]): Promise<void> => {
    const before = of.facts;
    const { graph, made } = all.length === 1 ? madeAlone(before, all[0]!) : madeTogether(before, all);
    try {
      if (graph !== before) {
        const { rows, edgeCount, confidences, entityCount, relationCount } = graph;
        const ofAll = entailedBy(graph);
        // Without axioms nothing is to be left out.
        const entailed = ofAll && confidences ? entailedBy(certainFacts(graph, confidences)) : ofAll;
        await of.follow(graph, {
          rows,
          edgeCount,
          confidences,
          entailed: entailed && { entityCount, relationCount, index: entailed.index },
        });
      }
      for (const { one, ...counts } of made) one.resolve({ epoch: of.epoch, ...counts });
    } catch (cause) {
      for (const { one } of made) one.reject(cause);
    }
  };
  const work = async (): Promise<void> => {
    isBusy = true;
    while (waiting.length > 0) {
      const all = waiting;
      waiting = [];
      await makeAll(all);
    }
    isBusy = false;
  };
  return (changes) =>
    new Promise((resolve, reject) => {
      waiting.push({ changes, resolve, reject });
      if (!isBusy) void work();
    });
}

/** A change that can be made, with what it comes to. */
interface Made extends Pick<ChangedFacts, 'added' | 'removed'> {
  readonly one: Waiting;
}

interface MadeChanges {
  readonly graph: KnowledgeGraph;
  readonly made: readonly Made[];
}

function madeAlone(graph: KnowledgeGraph, one: Waiting): MadeChanges {
  try {
    const { graph: changed, ...counts } = changedFacts(graph, one.changes);
    return { graph: changed, made: [{ one, ...counts }] };
  } catch (cause) {
    one.reject(cause);
    return { graph, made: [] };
  }
}

/** The facts of which there is no doubt: what axioms entail of them is as sure. */
function certainFacts(graph: KnowledgeGraph, { edges }: FactConfidences): KnowledgeGraph {
  return changedFacts(graph, { removed: edges }).graph;
}

/** As one change after the other, with one graph: to make a graph takes as long for one fact as for hundreds. */
function madeTogether(before: KnowledgeGraph, all: readonly Waiting[]): MadeChanges {
  /** By fact, its confidence afterwards; 0 where it is gone. */
  const net = new Map<string, number>();
  const made: Made[] = [];
  for (const one of all)
    try {
      const added = factsOf(before, one.changes.added, checkConfidences(one.changes));
      const removed = factsOf(before, one.changes.removed);
      const counts = { added: 0, removed: 0 };
      const isThere = (name: string, fact: Fact): boolean => (net.get(name) ?? +before.has(...fact)) > 0;
      for (const [name, { fact }] of removed) {
        if (added.has(name) || !isThere(name, fact)) continue;
        net.set(name, 0);
        counts.removed += 1;
      }
      for (const [name, { fact, confidence }] of added) {
        if (!isThere(name, fact)) counts.added += 1;
        net.set(name, confidence);
      }
      made.push({ one, ...counts });
    } catch (cause) {
      one.reject(cause);
    }
  const facts = (isAdded: boolean): Int32Array =>
    Int32Array.from(
      [...net].filter(([, each]) => each > 0 === isAdded).flatMap(([name]) => name.split(' ').map(Number)),
    );
  const confidences = [...net.values()].filter((each) => each > 0);
  const changes = { added: facts(true), removed: facts(false), confidences };
  return { graph: changedFacts(before, changes).graph, made };
}

type Fact = readonly [head: number, relation: number, tail: number];

/** Facts forwards, each once, by name. Throws as `changedFacts`. */
function factsOf(
  graph: KnowledgeGraph,
  triples: Int32Array = new Int32Array(),
  confidences: ArrayLike<number> = [],
): ReadonlyMap<string, { readonly fact: Fact; readonly confidence: number }> {
  checkTriples(triples, graph);
  const facts = new Map<string, { fact: Fact; confidence: number }>();
  for (let i = 0; i < triples.length; i += 3) {
    const [head, relation, tail] = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
    const fact: Fact = relation % 2 === 0 ? [head, relation, tail] : [tail, relation - 1, head];
    facts.set(fact.join(' '), { fact, confidence: confidences[i / 3] ?? 1 });
  }
  return facts;
}
