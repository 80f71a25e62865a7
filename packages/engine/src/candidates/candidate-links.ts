import { keptBy, placeOf } from '@fuzzqe/core';
import {
  createLinkReasons,
  createRuleIndex,
  createTailJudge,
  type LinkReasons,
  type RuleIndex,
  type TailJudge,
  type TailTerms,
} from '@fuzzqe/evidence';
import type { RankedModel } from '../ranker/local-ranker.ts';
import type { FoundTails, WantedTails } from '../ranker/ranker.ts';
import { createRecordedFirst } from '../ranker/recorded-first.ts';
import type { RankContext } from '../ranker/run-requests.ts';
import { linkDirections } from '../sets/grown-link-scores.ts';
import { createEntityTable, type EntityTable, vectorCount } from './entity-table.ts';
import { createRelationTails, type RelationTails, sampleOfAll } from './relation-tails.ts';

/** What a bundle judges links by. */
export type LinkSource = Pick<RankedModel, 'evidence' | 'manifest'>;

/** What the links of one epoch of facts are judged with. */
export interface LinkJudge {
  readonly judge: TailJudge;
  /** Answers what needs no link. */
  readonly recordedFirst: ReturnType<typeof createRecordedFirst>;
  /** Whether scores of a model count. */
  readonly isScored: boolean;
  readonly tailsOf: (relation: number) => RelationTails;
  readonly all: Int32Array;
  reasonsOf(head: number, relation: number, tail: number): LinkReasons;
  /** L_hr by the link. */
  readonly normalisers: Map<string, number>;
  /** What was found of projections of sets, by their text. */
  readonly steps: Map<string, { readonly members: Int32Array; readonly tails: Int32Array }>;
}

/** How many links keep their normaliser, and projections of sets their members. */
export const mostKept: Readonly<Record<'links' | 'steps', number>> = { links: 2 ** 16, steps: 256 };

/** Keeps a value for later requests of the same facts; the oldest leaves. */
export function keep<Value>(kept: Map<string, Value>, key: string, value: Value, most: number): Value {
  kept.set(key, value);
  if (kept.size > most) kept.delete(kept.keys().next().value!);
  return value;
}

/** The judges of links, each kept as long as its facts are. */
export function createLinkJudges({ evidence, manifest }: LinkSource): (context: RankContext) => LinkJudge {
  const { weights } = evidence;
  let made: RuleIndex | undefined;
  const judges = keptBy((context: RankContext): LinkJudge => {
    const { facts, entailed } = context;
    // Most threads are never asked.
    made ??= createRuleIndex(evidence.rules);
    const rules = made;
    return {
      judge: createTailJudge({ facts, rules, weights, entailed }),
      recordedFirst: createRecordedFirst(facts, manifest.model.logic),
      isScored: weights.temperature !== null,
      tailsOf: createRelationTails(facts),
      all: sampleOfAll(facts.entityCount),
      reasonsOf: createLinkReasons(facts, rules, weights, entailed),
      normalisers: new Map(),
      steps: new Map(),
    };
  });
  return judges;
}

/** The links of one request: which candidates they have, and how they are judged. */
export interface CandidateLinks {
  /** The candidates of some links along one relation; undefined where the index has not found their tails. */
  candidates(heads: Int32Array, relation: number, count: number): readonly Int32Array[] | undefined;
  /** (9) of links at some entities, ascending. Shapes: heads and relations [m], ids [n] → [m, n]. */
  rows(heads: Int32Array, relations: Int32Array, ids: Int32Array): Promise<Float32Array>;
  /** The links whose tails the index has to find, with their directions. */
  wanted(): Promise<WantedTails[]>;
}

type Link = readonly [head: number, relation: number];

const none = new Int32Array();

/** The entities of some lists, each once, ascending. */
function joined(lists: readonly Int32Array[]): Int32Array {
  const all = new Set<number>();
  for (const list of lists) for (const id of list) all.add(id);
  return Int32Array.from(all).sort();
}

const keyOf = (head: number, relation: number): string => `${head} ${relation}`;

/** Opens the links of a request, with the tails that the index has found by now. */
export function openCandidateLinks(
  context: RankContext,
  { judge, isScored: usesModel, tailsOf, all, normalisers }: LinkJudge,
  found: readonly FoundTails[],
): CandidateLinks {
  const { facts } = context;
  const model = usesModel ? context.model : undefined;
  const byLink = new Map(found.map((each) => [keyOf(each.head, each.relation), each.ids]));
  const missing = new Map<string, { readonly link: Link; readonly count: number }>();
  const directions = new Map<string, Float64Array>();
  const table: EntityTable | undefined = model && createEntityTable(model);
  /** Whether the model knows a link: its head has a vector, and its relation was there. */
  const isScored = (head: number, relation: number): boolean =>
    model !== undefined && head < vectorCount(model) && relation < model.model.relations;
  const direct = async (links: readonly Link[]): Promise<void> => {
    const fresh = links.filter((link) => isScored(...link) && !directions.has(keyOf(...link)));
    if (fresh.length === 0) return;
    const made = await linkDirections(
      { model: model!.model, context: model! },
      fresh.map(([head, relation]) => ({ head, relation })),
    );
    for (const [i, link] of fresh.entries()) directions.set(keyOf(...link), made[i]!);
  };
  /** The entities that came after the model, which no index finds. */
  const later = Int32Array.from(
    { length: model === undefined ? 0 : facts.entityCount - model.model.entities },
    (_, i) => model!.model.entities + i,
  );
  const bestOf = (head: number, relation: number): readonly Int32Array[] => [
    byLink.get(keyOf(head, relation)) ?? none,
    ...judge.named(head, relation),
  ];
  /** Whatever the head is. */
  const alwaysOf = (relation: number): readonly Int32Array[] => [tailsOf(relation).frequent, later];
  /** How many entities each tail stands for: a candidate for itself, another tail of a sample for its share of the others of its kind. */
  const countsOf = (head: number, { relation, ids, isTail }: TailTerms): Float64Array => {
    const counts = new Float64Array(ids.length);
    const lists = [...bestOf(head, relation), ...alwaysOf(relation)];
    for (const list of lists)
      for (const id of list) {
        const place = placeOf(ids, id, 0, ids.length);
        if (place >= 0) counts[place] = 1;
      }
    const { sample, count } = tailsOf(relation);
    const kinds = [
      { sample: all, kind: 0, size: facts.entityCount - count },
      { sample, kind: 1, size: count },
    ];
    for (const { sample: drawn, kind, size } of kinds) {
      const others = Array.from(drawn, (id) => placeOf(ids, id, 0, ids.length)).filter(
        (place) => isTail[place] === kind && counts[place] === 0,
      );
      let best = 0;
      for (let i = 0; i < ids.length; i += 1) if (counts[i] === 1 && isTail[i] === kind) best += 1;
      // Below, so that none of these counts as a candidate.
      for (const place of others) counts[place] = -Math.max(0, size - best) / others.length;
    }
    return counts.map(Math.abs);
  };
  /** Finds the normalisers of links along one relation, from their candidates and the samples. */
  const normalise = async (heads: readonly number[], relation: number): Promise<void> => {
    const lists = [...heads.flatMap((head) => bestOf(head, relation)), ...alwaysOf(relation)];
    const ids = joined([...lists, tailsOf(relation).sample, all]);
    await table!.read(ids);
    const terms = judge.terms(relation, ids);
    const places = table!.places(ids);
    for (const head of heads) {
      const key = keyOf(head, relation);
      const counts = countsOf(head, terms);
      const counted = places.map((place, i) => (counts[i] === 0 ? -1 : place));
      const scores = table!.scores(directions.get(key), counted);
      const value = judge.normaliser(head, terms, scores, counts);
      keep(normalisers, key, value, mostKept.links);
    }
  };
  return {
    candidates(heads, relation, count) {
      let isWhole = true;
      for (const head of heads) {
        const key = keyOf(head, relation);
        if (!isScored(head, relation) || byLink.has(key)) continue;
        missing.set(key, { link: [head, relation], count });
        isWhole = false;
      }
      if (!isWhole) return undefined;
      return [...[...heads].flatMap((head) => bestOf(head, relation)), ...alwaysOf(relation)];
    },
    async rows(heads, relations, ids) {
      const links = Array.from(heads, (head, i) => [head, relations[i]!] as const);
      if (table !== undefined) {
        await direct(links);
        await table.read(ids);
        for (const relation of new Set(relations)) {
          const open = links.filter(([head, of]) => of === relation && !normalisers.has(keyOf(head, of)));
          if (open.length > 0) await normalise([...new Set(open.map(([head]) => head))], relation);
        }
      }
      const places = table?.places(ids);
      const terms = new Map([...new Set(relations)].map((each) => [each, judge.terms(each, ids)]));
      const rows = new Float32Array(heads.length * ids.length);
      links.forEach(([head, relation], i) => {
        const key = keyOf(head, relation);
        const scores = places && table!.scores(directions.get(key), places);
        const degrees = judge.degrees(head, terms.get(relation)!, scores, normalisers.get(key) ?? 0);
        rows.set(degrees, i * ids.length);
      });
      return rows;
    },
    async wanted() {
      const links = [...missing.values()];
      await direct(links.map(({ link }) => link));
      return links.map(({ link: [head, relation], count }) => ({
        ...{ head, relation, count },
        direction: Float32Array.from(directions.get(keyOf(head, relation))!),
      }));
    },
  };
}
