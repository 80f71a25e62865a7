import {
  type ChangedFacts,
  changedFacts,
  checkConfidences,
  checkTriples,
  checkValidities,
  type FactChanges,
  FuzzError,
  forwardFact,
  isRejected,
  type KnowledgeGraph,
  keptBy,
  type Vocabulary,
} from '@fuzzqe/core';
import { datedAxioms, entailedGraph } from '@fuzzqe/evidence';
import { type GrowingVocabulary, growingVocabulary, type NameChanges } from '@fuzzqe/names';
import { createVectors, type FoldedModel } from './folding/new-vectors.ts';
import type { FactsEpoch } from './ranker/facts-epoch.ts';
import { type RankerGrowth, rankerGrowth } from './ranker/ranker-growth.ts';

/** What a change of facts came to. */
export interface FactsChanged extends Omit<ChangedFacts, 'graph'> {
  /** That of the first queries that are answered by it; the epoch before where nothing changed. */
  readonly epoch: number;
}

/** What a change of names came to. */
export interface NamesChanged extends Pick<Vocabulary, 'entityCount' | 'relationCount'> {
  readonly epoch: number;
}

/** What changes of facts are made to. */
export interface ChangingFacts {
  /** The facts of now, and how often they have changed. */
  readonly facts: KnowledgeGraph;
  readonly epoch: number;
  /** Has everything that answers follow changed facts; they are those of now when it is done. */
  follow(graph: KnowledgeGraph, rows: Omit<FactsEpoch, 'epoch' | 'oldest'>): Promise<void>;
  /** p_e of entities that came after the model, from the facts of now. Shapes: → [n, d]. */
  fold(entities: Int32Array): Promise<Float32Array>;
}

/** Makes changes one after the other, each whole. */
export interface ChangesMaker {
  /** Throws: as `changedFacts`, for that change alone; what following throws, for all of its epoch. */
  facts(changes: FactChanges): Promise<FactsChanged>;
  /** Throws: as `put` of a growing vocabulary; what following throws. */
  names(changes: NameChanges): Promise<NamesChanged>;
  /** Waits until new entities have their vectors from the facts of now. */
  folded(): Promise<void>;
}

/** Makes what changes the facts of an engine. */
export type FactChangesMaker = (of: ChangingFacts) => ChangesMaker;

/** What of a bundle or a graph changes. */
interface Changeable {
  readonly vocabulary: Vocabulary;
  readonly manifest: { readonly model: FoldedModel | null };
}

/** A bundle whose facts and names may change. */
export type ChangeableBundle<Of> = Of & {
  readonly vocabulary: GrowingVocabulary;
  readonly factChanges: FactChangesMaker;
};

/**
 * Lets the facts and the names of an engine change; what declared axioms entail follows.
 *
 * Changes that come at once, or while another is under way, make one epoch together: a thousand changes a second wait for a few hundred answers of threads.
 * New entities get vectors from their facts in epochs of their own, so that no change waits for a vector.
 *
 * @example
 * const mine = createEngine(changeable(bundle), ranker);
 */
export function changeable<Of extends Changeable>(
  bundle: Of,
): ChangeableBundle<Of> & { readonly growth: RankerGrowth } {
  return { ...changeableElsewhere(bundle), growth: rankerGrowth };
}

/** As `changeable`, for a bundle whose ranker is in another thread, which alone needs the code that ranks what is new. */
export function changeableElsewhere<Of extends Changeable>(bundle: Of): ChangeableBundle<Of> {
  const vocabulary = growingVocabulary(bundle.vocabulary);
  const model = bundle.manifest.model ?? undefined;
  return { ...bundle, vocabulary, factChanges: (of) => createChanges(of, vocabulary, model) };
}

/** Work that waits for its turn. */
type Waiting =
  | { readonly does: 'facts'; readonly one: WaitingFacts }
  | { readonly does: 'other'; readonly work: () => Promise<void> };

interface WaitingFacts {
  readonly changes: FactChanges;
  resolve(changed: FactsChanged): void;
  reject(cause: unknown): void;
}

function createChanges(
  of: ChangingFacts,
  vocabulary: GrowingVocabulary,
  model: FoldedModel | undefined,
): ChangesMaker {
  let waiting: Waiting[] = [];
  let isBusy = false;
  let grown: FactsEpoch['grown'];
  let lastIndex = of.facts.index;
  const vectors = model === undefined ? undefined : createVectors(model);

  // New vectors of entities change no fact.
  const entailedBy = keptBy((graph: KnowledgeGraph): Pick<FactsEpoch, 'entailed' | 'axioms'> => {
    const entailed = entailedGraph(graph, vocabulary);
    const axioms = datedAxioms(graph, vocabulary);
    if (entailed === undefined) return { entailed, axioms };
    const { entityCount, relationCount, index } = entailed;
    return { entailed: { entityCount, relationCount, index }, axioms };
  });
  const follow = async (graph: KnowledgeGraph): Promise<void> => {
    const { rows, edgeCount, confidences, validity, entityCount, relationCount, index } = graph;
    if (index !== lastIndex) grown = { times: (grown?.times ?? 0) + 1, index };
    lastIndex = index;
    await of.follow(graph, {
      ...{ rows, edgeCount, confidences, validity, entityCount, relationCount, grown },
      ...entailedBy(graph),
      vectors: vectors?.of(entityCount),
    });
  };
  const makeFacts = async (all: readonly WaitingFacts[]): Promise<void> => {
    const before = of.facts;
    const { graph, made } = all.length === 1 ? madeAlone(before, all[0]!) : madeTogether(before, all);
    try {
      if (graph !== before) await follow(graph);
      for (const { one, ...counts } of made) one.resolve({ epoch: of.epoch, ...counts });
    } catch (cause) {
      for (const { one } of made) one.reject(cause);
      return;
    }
    for (const { one } of made) vectors?.touch(one.changes);
    void fold();
  };
  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      const first = waiting[0]!;
      if (first.does === 'other') {
        waiting = waiting.slice(1);
        await first.work();
        continue;
      }
      const end = waiting.findIndex(({ does }) => does === 'other');
      const all = end < 0 ? waiting : waiting.slice(0, end);
      waiting = waiting.slice(all.length);
      await makeFacts(all.flatMap((each) => (each.does === 'facts' ? [each.one] : [])));
    }
    isBusy = false;
  };
  const wait = (one: Waiting): void => {
    waiting.push(one);
    if (isBusy) return;
    isBusy = true;
    // Further calls of this turn make one epoch with it.
    void Promise.resolve().then(work);
  };
  /** Does work between changes. */
  const between = <T>(task: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      wait({ does: 'other', work: () => task().then(resolve, reject) });
    });

  let folding: Promise<void> | undefined;
  const foldAll = async (touched: NonNullable<typeof vectors>): Promise<void> => {
    for (let ids = touched.take(); ids.length > 0; ids = touched.take()) {
      const rows = await of.fold(ids);
      await between(async () => {
        touched.set(ids, rows);
        await follow(of.facts);
      });
    }
  };
  const fold = (): Promise<void> => {
    if (vectors === undefined) return Promise.resolve();
    // An entity without a vector of its own is answered by its facts all the same; the next change of its facts tries again.
    folding ??= foldAll(vectors)
      .catch(() => undefined)
      .finally(() => {
        folding = undefined;
      });
    return folding;
  };

  return {
    facts: (changes) =>
      new Promise((resolve, reject) => {
        wait({ does: 'facts', one: { changes, resolve, reject } });
      }),
    names: (changes) =>
      between(async () => {
        const counts = vocabulary.countsWith(changes);
        const { graph } = changedFacts(of.facts, counts);
        if (graph !== of.facts) await follow(graph);
        vocabulary.put(changes);
        return { epoch: of.epoch, ...counts };
      }),
    async folded() {
      await between(async () => undefined);
      await fold();
    },
  };
}

/** A change that can be made, with what it comes to. */
interface Made extends Omit<ChangedFacts, 'graph'> {
  readonly one: WaitingFacts;
}

interface MadeChanges {
  readonly graph: KnowledgeGraph;
  readonly made: readonly Made[];
}

function madeAlone(graph: KnowledgeGraph, one: WaitingFacts): MadeChanges {
  try {
    const { graph: changed, ...counts } = changedFacts(graph, one.changes);
    return { graph: changed, made: [{ one, ...counts }] };
  } catch (cause) {
    one.reject(cause);
    return { graph, made: [] };
  }
}

/** What is said of a link: the confidence of a fact, 0 of a rejected link, or nothing. */
type Said = number | undefined;

/** As one change after the other, with one graph: to make a graph takes as long for one fact as for hundreds. */
function madeTogether(before: KnowledgeGraph, all: readonly WaitingFacts[]): MadeChanges {
  const net = new Map<string, SaidOfFact>();
  const made: Made[] = [];
  const saidBefore = (fact: Fact): Said => {
    if (before.has(...fact)) return 1;
    return isRejected(before.confidences, ...fact) ? 0 : undefined;
  };
  for (const one of all)
    try {
      const counts = { added: 0, removed: 0, rejected: 0 };
      const said = saidOf(before, one.changes);
      for (const [name, each] of said) {
        const { fact, said: is } = each;
        const known = net.get(name);
        const was = known === undefined ? saidBefore(fact) : known.said;
        net.set(name, each);
        if (is === undefined) counts.removed += was === undefined ? 0 : 1;
        else if (is === 0) counts.rejected += was === 0 ? 0 : 1;
        else counts.added += was ? 0 : 1;
      }
      made.push({ one, ...counts });
    } catch (cause) {
      one.reject(cause);
    }
  const facts = (fits: (said: Said) => boolean): Int32Array =>
    Int32Array.from([...net.values()].flatMap(({ fact, said }) => (fits(said) ? fact : [])));
  const changes = {
    added: facts((said) => said !== undefined && said > 0),
    removed: facts((said) => said === undefined),
    rejected: facts((said) => said === 0),
    confidences: [...net.values()].flatMap(({ said }) => (said ? [said] : [])),
    validities: [...net.values()].flatMap(({ said, holds }) => (said ? holds : [])),
  };
  return { graph: changedFacts(before, changes).graph, made };
}

type Fact = readonly [head: number, relation: number, tail: number];

/** What a change says of a fact, forwards. */
interface SaidOfFact {
  readonly fact: Fact;
  readonly said: Said;
  /** When the fact holds: begin, end. */
  readonly holds: readonly number[];
}

const always = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** What a change says of each of its facts, by name. Throws as `changedFacts`. */
function saidOf(graph: KnowledgeGraph, changes: FactChanges): ReadonlyMap<string, SaidOfFact> {
  const { added, removed, rejected } = changes;
  const confidences = checkConfidences(changes);
  const validities = checkValidities(changes);
  const said = new Map<string, SaidOfFact>();
  const put = (triples: Int32Array = new Int32Array(), saidAt: (place: number) => Said): void => {
    checkTriples(triples, graph);
    for (let i = 0; i < triples.length; i += 3) {
      const [head, relation, tail] = [triples[i]!, triples[i + 1]!, triples[i + 2]!];
      const fact = forwardFact(head, relation, tail);
      const place = i / 3;
      const is = saidAt(place);
      const holds = is && validities ? [validities[2 * place]!, validities[2 * place + 1]!] : always;
      said.set(fact.join(' '), { fact, said: is, holds });
    }
  };
  put(removed, () => undefined);
  put(rejected, () => 0);
  put(added, (place) => confidences?.[place] ?? 1);
  return said;
}

/** The error of a change where facts stay as they are. */
export function noChanges(hasFacts: boolean): FuzzError {
  const got = hasFacts ? 'an engine whose facts stay as opened' : 'a bundle without facts';
  return new FuzzError('usage', `change of facts: expected an engine that takes changes, got ${got}`, {
    hint: hasFacts
      ? 'Facts change where openServingEngine or openGraphEngine opened the engine, or with changeable.'
      : 'Ask a bundle that was exported for servers.',
  });
}
