import { keptBy } from '@fuzzqe/core';
import {
  createLinkReasons,
  createTailJudge,
  type LinkReasons,
  type TailJudge,
  type TailSample,
} from '@fuzzqe/evidence';
import type { FoundTails, WantedTails } from '../ranker/ranker.ts';
import type { RankContext } from '../ranker/run-requests.ts';
import type { SetsSource } from '../ranker/sets-context.ts';
import { linkDirections } from '../sets/grown-link-scores.ts';
import { createEntityTable, type EntityTable, vectorCount } from './entity-table.ts';
import { createRelationTails, type RelationTails, sampleOfAll } from './relation-tails.ts';

/** What a bundle judges links by. */
export type LinkSource = Pick<SetsSource, 'evidence'>;

/** What the links of one epoch of facts are judged with. */
export interface LinkJudge {
  readonly judge: TailJudge;
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
export function createLinkJudges(
  { evidence: { weights } }: LinkSource,
  rules: Parameters<typeof createTailJudge>[0]['rules'],
): (context: RankContext) => LinkJudge {
  const judges = keptBy((context: RankContext): LinkJudge => {
    const { facts, entailed } = context;
    return {
      judge: createTailJudge({ facts, rules, weights, entailed }),
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
  candidates(heads: Int32Array, relation: number): readonly Int32Array[] | undefined;
  /** (9) of links at some entities, ascending. Shapes: heads and relations [m], ids [n] → [m, n]. */
  rows(heads: Int32Array, relations: Int32Array, ids: Int32Array): Promise<Float32Array>;
  /** The links whose tails the index has to find, with their directions. */
  wanted(): Promise<WantedTails[]>;
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
  const missing = new Map<string, readonly [head: number, relation: number]>();
  const directions = new Map<string, Float64Array>();
  const table: EntityTable | undefined = model && createEntityTable(model);
  /** Whether the model knows a link: its head has a vector, and its relation was there. */
  const isScored = (head: number, relation: number): boolean =>
    model !== undefined && head < vectorCount(model) && relation < model.model.relations;
  const direct = async (links: readonly (readonly [head: number, relation: number])[]): Promise<void> => {
    const fresh = links.filter((link) => isScored(...link) && !directions.has(keyOf(...link)));
    if (fresh.length === 0) return;
    const made = await linkDirections({ model: model!.model, context: model! }, fresh);
    for (const [i, link] of fresh.entries()) directions.set(keyOf(...link), made[i]!);
  };
  /** The entities that came after the model, which no index finds. */
  const later = Int32Array.from(
    { length: model === undefined ? 0 : facts.entityCount - model.model.entities },
    (_, i) => model!.model.entities + i,
  );
  const bestOf = (head: number, relation: number): readonly Int32Array[] => [
    byLink.get(keyOf(head, relation)) ?? new Int32Array(),
    ...judge.named(head, relation),
    tailsOf(relation).frequent,
    later,
  ];
  const normaliserOf = (head: number, relation: number): number => {
    const key = keyOf(head, relation);
    const known = normalisers.get(key);
    if (known !== undefined || table === undefined) return known ?? 0;
    const direction = directions.get(key);
    const best = Int32Array.from(new Set(bestOf(head, relation).flatMap((ids) => [...ids])));
    const { sample, count, includes } = tailsOf(relation);
    const others = all.filter((id) => !includes(id));
    const scored = (ids: Int32Array): TailSample => ({
      ...{ ids, scores: table.scores(direction, ids) },
      ...(ids === sample
        ? { of: count, includes }
        : { of: facts.entityCount - count, includes: (id) => !includes(id) }),
    });
    const value = judge.normaliser(head, relation, scored(best), [scored(sample), scored(others)]);
    return keep(normalisers, key, value, mostKept.links);
  };
  return {
    candidates(heads, relation) {
      let isWhole = true;
      for (const head of heads) {
        const key = keyOf(head, relation);
        if (!isScored(head, relation) || byLink.has(key)) continue;
        missing.set(key, [head, relation]);
        isWhole = false;
      }
      return isWhole ? [...heads].flatMap((head) => bestOf(head, relation)) : undefined;
    },
    async rows(heads, relations, ids) {
      const links = Array.from(heads, (head, i) => [head, relations[i]!] as const);
      if (table !== undefined) {
        await direct(links);
        await table.read(ids);
        await table.read(all);
        for (const [head, relation] of links) {
          if (normalisers.has(keyOf(head, relation))) continue;
          await table.read(tailsOf(relation).sample);
          for (const best of bestOf(head, relation)) await table.read(best);
        }
      }
      const rows = new Float32Array(heads.length * ids.length);
      links.forEach(([head, relation], i) => {
        const scores = table?.scores(directions.get(keyOf(head, relation)), ids);
        const normaliser = normaliserOf(head, relation);
        rows.set(judge.degrees(head, relation, ids, scores, normaliser), i * ids.length);
      });
      return rows;
    },
    async wanted() {
      const links = [...missing.values()];
      await direct(links);
      return links.map(([head, relation]) => ({
        ...{ head, relation },
        direction: Float32Array.from(directions.get(keyOf(head, relation))!),
      }));
    },
  };
}
