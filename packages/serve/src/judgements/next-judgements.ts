import type { NextJudgement, NextOptions } from '@fuzzqe/api';
import { asEntityId, asRelationId, createRandom, forwardFact, type KnowledgeGraph } from '@fuzzqe/core';
import { entity, project } from '@fuzzqe/core/query';
import { type CallLimits, createConflictFinder, type ReadOptions, readWithNames } from '@fuzzqe/engine';
import type { EngineFacts, FactOfIds } from '@fuzzqe/facts/apply';

/** Links (h, r) of which candidates are taken; each takes as long as a query of one link. */
const mostAsked = 32;
/** Heads of each relation that are asked, unless one relation is wanted. */
const headsEach = 4;
/** Candidates of each link. */
const bestEach = 5;
const leastDegree = 0.01;
const usualLimit = 20;

/**
 * The links whose judgement would teach most: `H(μ) / (1 + n_r)`, H the entropy of the degree in bits and n_r the judgements of the relation so far.
 *
 * So first come links that may as well be facts as not, of relations without a judgement. Candidates are the five best unrecorded tails of at
 * most 32 links: of the entity or the relation that is wanted, or of four heads of the relations that were judged least.
 * The same judgements give the same candidates; each judgement draws other heads.
 *
 * @throws FuzzError `vocabulary`: a name that the graph lacks. What the ranker throws.
 */
export async function nextJudgements(
  { engine, provenance }: Pick<EngineFacts, 'engine' | 'provenance'>,
  options: NextOptions,
  reading: ReadOptions & CallLimits,
): Promise<NextJudgement[]> {
  const { facts, vocabulary, ranker } = engine;
  const { limit = usualLimit } = options;
  const wanted = await readWithNames(
    vocabulary,
    (names) => ({
      head: options.entity === undefined ? undefined : names.findEntity(options.entity),
      relation: options.relation === undefined ? undefined : names.findRelation(options.relation),
    }),
    reading,
  );
  const judged = new Map<number, number>();
  for (const [[, relation]] of provenance.judged()) judged.set(relation, (judged.get(relation) ?? 0) + 1);
  const asked = linksToAsk(facts, wanted, judged);
  const found = await ranker.rank(
    asked.map(([head, relation]) => ({
      task: 'sets' as const,
      query: project(asRelationId(relation), entity(asEntityId(head))),
      k: Math.min(bestEach, facts.entityCount),
      exclude: 'known' as const,
      minDegree: leastDegree,
    })),
    reading,
  );
  const best = new Map<string, { readonly ids: FactOfIds; readonly degree: number }>();
  for (const [i, { ids, degrees }] of found.entries())
    ids.forEach((other, place) => {
      const [head, relation] = asked[i]!;
      const link = forwardFact(head, relation, other);
      const name = link.join(' ');
      const degree = degrees[place]!;
      if (degree > (best.get(name)?.degree ?? 0)) best.set(name, { ids: link, degree });
    });
  const conflictsOf = createConflictFinder(engine);
  const named = (id: number): NextJudgement['head'] => {
    const { key, label } = vocabulary.entity(asEntityId(id));
    return { key, label };
  };
  return [...best.values()]
    .map(({ ids, degree }) => ({ ids, degree, teaches: entropy(degree) / (1 + (judged.get(ids[1]) ?? 0)) }))
    .sort((a, b) => b.teaches - a.teaches || compareLinks(a.ids, b.ids))
    .slice(0, limit)
    .map(({ ids, degree, teaches }) => {
      const { key, label } = vocabulary.relation(asRelationId(ids[1]));
      return {
        ...{ head: named(ids[0]), relation: { key, label }, tail: named(ids[2]), degree, teaches },
        conflicts: conflictsOf(ids).map(({ message }) => message),
      };
    });
}

type AskedLink = readonly [head: number, relation: number];

function linksToAsk(
  facts: KnowledgeGraph,
  { head, relation }: { readonly head: number | undefined; readonly relation: number | undefined },
  judged: ReadonlyMap<number, number>,
): AskedLink[] {
  if (head !== undefined && relation !== undefined) return [[head, relation]];
  const count = [...judged.values()].reduce((sum, each) => sum + each, 0);
  const random = createRandom('judgements', count);
  const judgementsOf = (each: number): number => judged.get(each - (each % 2)) ?? 0;
  const relations = Array.from({ length: facts.relationCount }, (_, each) => each)
    .filter((each) => (head === undefined ? each % 2 === 0 : facts.headsOf(each).length > 0))
    .map((each) => ({ each, judgements: judgementsOf(each), heads: facts.headsOf(each).length }))
    .sort((a, b) => a.judgements - b.judgements || b.heads - a.heads || a.each - b.each)
    .map(({ each }) => each);
  if (head !== undefined) return relations.slice(0, mostAsked).map((each) => [head, each]);
  const some = (each: number, most: number): AskedLink[] => {
    const heads = facts.headsOf(each);
    const chosen = new Set<number>();
    // Twice a head is one head fewer: nothing is lost by it.
    for (let i = 0; i < most && heads.length > 0; i += 1) chosen.add(heads[random.below(heads.length)]!);
    return [...chosen].map((one) => [one, each]);
  };
  if (relation !== undefined) return some(relation, mostAsked);
  return relations.slice(0, mostAsked / headsEach).flatMap((each) => some(each, headsEach));
}

/** In bits; 0 of what is certain. */
function entropy(degree: number): number {
  if (degree <= 0 || degree >= 1) return 0;
  return -(degree * Math.log2(degree) + (1 - degree) * Math.log2(1 - degree));
}

function compareLinks(a: FactOfIds, b: FactOfIds): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
