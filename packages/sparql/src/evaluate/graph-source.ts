import type { KnowledgeGraph, Steps } from '@fuzzqe/core';
import { type CallLimits, type Engine, inTurns } from '@fuzzqe/engine';
import { recordedBeginning } from '../meaning/recorded-paths.ts';
import { iriTerm, literalTerm, type RdfTerm, sameTerm } from '../terms/rdf-term.ts';
import { textIris } from '../terms/text-iris.ts';
import type { Triple, TriplePattern, TripleSource } from '../terms/triple-source.ts';
import { graphNames } from './graph-names.ts';
import { attributeIri, attributesOf, textsOf, withSubject } from './literal-triples.ts';
import { createPredictedLinks } from './predicted-links.ts';
import type { QueryBudget } from './query-budget.ts';

/** What the triples of a graph are read with. */
export interface GraphSourceOptions {
  /** The lowest degree of a predicted link; undefined: recorded facts only. */
  readonly minDegree: number | undefined;
  /** The most predicted links of one entity and relation. */
  readonly most: number;
  readonly limits: CallLimits;
  readonly budget: QueryBudget;
}

/** The triples of a graph, and whether a pattern was answered by recorded facts alone. */
export interface GraphSource extends TripleSource {
  /** Whether a pattern of which no end was known, or no relation, was asked: it has recorded facts only. */
  readonly isPartial: boolean;
}

/** Triples of a piece: between pieces, others have their turn. */
const piece = 256;

/** What the literals of an entity take, in triples that are looked at. */
const attributesCost = 100;

/** More entities with a label than these are looked for among all. */
const mostFound = 1000;

/**
 * The triples of an engine's graph: recorded facts, predicted links of entities that are known, labels and other literals.
 *
 * A pattern with a relation and an entity has the predicted links, too. Facts and names are those of the call.
 */
export function createGraphSource(engine: Engine, options: GraphSourceOptions): GraphSource {
  const { facts } = engine;
  const { limits, budget } = options;
  const links = createPredictedLinks(engine, options);
  const names = graphNames(engine.vocabulary);
  let isPartial = false;
  let columns: Promise<ReadonlySet<string>> | undefined;
  const hasAttribute = async (property: string): Promise<boolean> => {
    columns ??= engine.attributeColumns().then((all) => new Set(all.map(attributeIri)));
    return (await columns).has(property);
  };

  async function* factsOf(pattern: TriplePattern, isRecorded: boolean): AsyncGenerator<Triple> {
    const { subject, predicate, object } = pattern;
    const [head, tail] = [subject, object].map((term) =>
      term === undefined ? undefined : names.entity(term),
    );
    const relation = predicate === undefined ? undefined : names.relation(predicate.value);
    if ((subject && head === undefined) || (object && tail === undefined)) return;
    if (predicate && relation === undefined) return;
    const triple = (h: number, r: number, t: number): Triple => ({
      subject: names.entityTerm(h),
      predicate: names.relationTerm(r),
      object: names.entityTerm(t),
    });
    if (isRecorded || relation === undefined || (head === undefined && tail === undefined)) {
      isPartial ||= links.any;
      for (const [h, r, t] of recordedFacts(facts, head, relation, tail)) yield triple(h, r, t);
      return;
    }
    // One end is known: recorded facts come first.
    const [from, along, to] = head === undefined ? [tail!, relation + 1, undefined] : [head, relation, tail];
    const turned = (end: number): Triple =>
      head === undefined ? triple(end, relation, from) : triple(from, relation, end);
    const recorded = facts.tails(from, along);
    if (to !== undefined && facts.has(from, along, to)) {
      yield turned(to);
      return;
    }
    if (to === undefined) for (const end of recorded) yield turned(end);
    for (const end of await links.tails(from, along))
      if (to === undefined ? !facts.has(from, along, end) : end === to) yield turned(end);
  }

  async function* literalsOf({ subject, predicate, object }: TriplePattern): AsyncGenerator<Triple> {
    if (object !== undefined && object.type !== 'literal') return;
    const isText = predicate === undefined || Object.values(textIris).includes(predicate.value);
    const isAttribute =
      predicate === undefined
        ? (await engine.attributeColumns()).length > 0
        : await hasAttribute(predicate.value);
    if (!isText && !isAttribute) return;
    if (isText) {
      const id = subject === undefined ? undefined : names.relation(subject.value);
      for (const relation of subject === undefined ? names.relations() : id === undefined ? [] : [id])
        yield* withSubject(names.relationTerm(relation).value, [
          { property: textIris.label, value: literalTerm(engine.vocabulary.relation(relation).label) },
        ]);
    }
    for (const id of await subjectsOf(subject, isAttribute ? undefined : object)) {
      const iri = names.entityTerm(id).value;
      if (isText) yield* withSubject(iri, textsOf(engine.vocabulary, id));
      if (!isAttribute) continue;
      budget.look(attributesCost);
      yield* withSubject(iri, await attributesOf(engine, id));
    }
  }

  /** The entities that may have such a literal. */
  async function subjectsOf(
    subject: RdfTerm | undefined,
    object: RdfTerm | undefined,
  ): Promise<Iterable<number>> {
    if (subject !== undefined) {
      const id = names.entity(subject);
      return id === undefined ? [] : [id];
    }
    const all = Array.from({ length: facts.entityCount }).keys();
    const text = object?.value.trim() ?? '';
    if (text === '') return all;
    const search = engine.vocabulary.searchingEntities(text, { limit: mostFound, misspelt: false });
    const { total, results } = await inTurns(search, limits);
    return total > mostFound ? all : results.map(({ id }) => id);
  }

  return {
    get isPartial() {
      return isPartial;
    },
    async *match(given) {
      // A bundle is one graph: no other graph has triples.
      if (given.graph !== undefined) return;
      const { pattern, isRecorded } = withoutMark(given);
      let triples: Triple[] = [];
      let looked = 0;
      for (const source of [factsOf(pattern, isRecorded), literalsOf(pattern)])
        for await (const triple of source) {
          if (++looked % piece === 0) {
            budget.look(piece);
            await inTurns(oneStep(), limits);
          }
          if (!fits(triple, pattern) || triples.push(triple) < piece) continue;
          yield triples;
          triples = [];
        }
      budget.look(looked % piece);
      if (triples.length > 0) yield triples;
    },
    async count(given) {
      if (given.graph !== undefined) return 0;
      const { subject, predicate, object } = withoutMark(given).pattern;
      const [head, tail] = [subject, object].map((term) =>
        term === undefined ? undefined : names.entity(term),
      );
      const isKnown = subject !== undefined || object !== undefined;
      const relation = predicate === undefined ? undefined : names.relation(predicate.value);
      if (predicate === undefined) {
        if (!isKnown) return facts.edgeCount / 2 + facts.entityCount;
        return (
          Math.min(
            ...[head, tail].flatMap((id) => (id === undefined ? [] : [facts.degree(id)])),
            facts.entityCount,
          ) + 10
        );
      }
      let count = 0;
      if (relation !== undefined) {
        if (head !== undefined) count += facts.tails(head, relation).length + 1;
        else if (tail !== undefined) count += facts.tails(tail, relation + 1).length + 1;
        // Joins begin where an end is known, so that predicted links take part.
        else if (!isKnown) count += facts.headsOf(relation).length * (links.any ? 1000 : 1);
      }
      if (Object.values(textIris).includes(predicate.value) || (await hasAttribute(predicate.value)))
        count += isKnown ? 3 : 10 * facts.entityCount;
      return count;
    },
  };
}

/** A pattern by its relation, and whether recorded facts alone are asked for. */
function withoutMark(pattern: TriplePattern): {
  readonly pattern: TriplePattern;
  readonly isRecorded: boolean;
} {
  const { predicate } = pattern;
  if (predicate === undefined || !predicate.value.startsWith(recordedBeginning))
    return { pattern, isRecorded: false };
  const relation = iriTerm(predicate.value.slice(recordedBeginning.length));
  return { pattern: { ...pattern, predicate: relation }, isRecorded: true };
}

/** Work of one piece: others have their turn before it. */
function* oneStep(): Steps<void> {}

function fits({ subject, predicate, object }: Triple, pattern: TriplePattern): boolean {
  return (
    (pattern.subject === undefined || sameTerm(subject, pattern.subject)) &&
    (pattern.predicate === undefined || sameTerm(predicate, pattern.predicate)) &&
    (pattern.object === undefined || sameTerm(object, pattern.object))
  );
}

/** The recorded facts with these ids; undefined stands for any. */
function* recordedFacts(
  facts: KnowledgeGraph,
  head: number | undefined,
  relation: number | undefined,
  tail: number | undefined,
): Generator<readonly [head: number, relation: number, tail: number]> {
  if (head === undefined && tail === undefined && relation !== undefined) {
    for (const h of facts.headsOf(relation)) for (const t of facts.tails(h, relation)) yield [h, relation, t];
    return;
  }
  if (head === undefined && tail !== undefined) {
    // An inverse stands after its relation.
    const inverses = relation === undefined ? facts.relationsOf(tail) : [relation + 1];
    for (const inverse of inverses)
      if (inverse % 2 === 1) for (const h of facts.tails(tail, inverse)) yield [h, inverse - 1, tail];
    return;
  }
  const heads = head === undefined ? Array.from({ length: facts.entityCount }).keys() : [head];
  for (const h of heads)
    for (const r of relation === undefined ? facts.relationsOf(h) : [relation]) {
      if (r % 2 === 1) continue;
      if (tail === undefined) for (const t of facts.tails(h, r)) yield [h, r, t];
      else if (facts.has(h, r, tail)) yield [h, r, tail];
    }
}
