import {
  type ChangedFacts,
  changedFacts,
  checkTriples,
  type FactChanges,
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
 * Changes that come at once, or while another is under way, make one epoch together: a thousand changes a second wait for a few hundred answers of threads.
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
        const { rows, edgeCount, entityCount, relationCount } = graph;
        const entailed = entailedBy(graph);
        await of.follow(graph, {
          rows,
          edgeCount,
          entailed: entailed && { entityCount, relationCount, index: entailed.index },
        });
      }
      for (const { one, ...counts } of made) one.resolve({ epoch: of.epoch, ...counts });
    } catch (cause) {
      for (const { one } of made) one.reject(cause);
    }
  };
  const work = async (): Promise<void> => {
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
      if (isBusy) return;
      isBusy = true;
      // Further calls of this turn make one epoch with it.
      void Promise.resolve().then(work);
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

/** As one change after the other, with one graph: to make a graph takes as long for one fact as for hundreds. */
function madeTogether(before: KnowledgeGraph, all: readonly Waiting[]): MadeChanges {
  /** By fact, whether it is there afterwards. */
  const net = new Map<string, boolean>();
  const made: Made[] = [];
  for (const one of all)
    try {
      const [added, removed] = [factsOf(before, one.changes.added), factsOf(before, one.changes.removed)];
      const counts = { added: 0, removed: 0 };
      const isThere = (name: string, fact: Fact): boolean => net.get(name) ?? before.has(...fact);
      for (const [name, fact] of removed) {
        if (added.has(name) || !isThere(name, fact)) continue;
        net.set(name, false);
        counts.removed += 1;
      }
      for (const [name, fact] of added) {
        if (isThere(name, fact)) continue;
        net.set(name, true);
        counts.added += 1;
      }
      made.push({ one, ...counts });
    } catch (cause) {
      one.reject(cause);
    }
  const facts = (isAdded: boolean): Int32Array =>
    Int32Array.from(
      [...net].filter(([, each]) => each === isAdded).flatMap(([name]) => name.split(' ').map(Number)),
    );
  return { graph: changedFacts(before, { added: facts(true), removed: facts(false) }).graph, made };
}

type Fact = readonly [head: number, relation: number, tail: number];

/** Facts forwards, each once, by name. Throws as `changedFacts`. */
function factsOf(graph: KnowledgeGraph, triples: Int32Array = new Int32Array()): ReadonlyMap<string, Fact> {
  checkTriples(triples, graph);
  const facts = new Map<string, Fact>();
  for (let i = 0; i < triples.length; i += 3) {
    const [head, relation, tail] = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
    const fact: Fact = relation % 2 === 0 ? [head, relation, tail] : [tail, relation - 1, head];
    facts.set(fact.join(' '), fact);
  }
  return facts;
}
