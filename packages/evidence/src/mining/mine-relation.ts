import type { KnowledgeGraph, Random } from '@fuzzqe/core';
import { compareRules, doubt, type Rule } from '../rules/rule-set.ts';
import { createConstantFinder } from './find-constants.ts';
import { createPathFinder } from './find-paths.ts';
import { createPathJudge, type JudgedPaths, lengthOf } from './judge-paths.ts';
import { fewestHits, type MiningSizes, miningSizes, mostConstants, mostPaths } from './mining-sizes.ts';
import { neighboursOf } from './neighbour-index.ts';
import { createTupleCounts, type TupleCounts } from './tuple-counts.ts';

/** The rules of one relation, five numbers each. */
export interface RelationRules {
  /** r₁, r₂, r₃ (−1 behind the end), hits, predictions. */
  readonly paths: Int32Array;
  /** c, q, d, hits, predictions. */
  readonly constants: Int32Array;
}

/** The rules of a relation 2k and of its inverse. */
export interface MinedRelation {
  readonly rules: readonly [RelationRules, RelationRules];
  /** Whether a further round would find nothing else. */
  readonly whole: boolean;
}

/** Mines the rules of one relation 2k and of its inverse, again after a round before. */
export type RelationMiner = (
  relation: number,
  round: number,
  random: Random,
  known: MinedRelation['rules'],
) => MinedRelation;

/** No rules. */
export const noRules: RelationRules = { paths: new Int32Array(), constants: new Int32Array() };

/** How many times as many paths are judged on few heads first, and on which share of the heads. */
const firstCandidates = 4;
const firstHeads = 1 / 8;

/** Makes a miner of one graph, whose arrays are used again. */
export function createRelationMiner({ index }: Pick<KnowledgeGraph, 'index'>): RelationMiner {
  const finder = createPathFinder(index, neighboursOf(index));
  const judge = createPathJudge(index);
  const constants = createConstantFinder(index);
  const counts = createTupleCounts();

  const minePaths = (
    relation: number,
    candidates: Int32Array,
    known: Int32Array,
    sizes: MiningSizes,
    random: Random,
  ) => {
    const { candidates: most, heads, work } = sizes;
    let chosen = candidates;
    let whole = true;
    if (candidates.length / 3 > most) {
      const few = { heads: Math.ceil(heads * firstHeads), work: Math.ceil(work * firstHeads) };
      chosen = bestPaths(judge.judge(relation, grouped(candidates), few, random.fork('few')), most, 0).paths;
      whole = false;
    }
    const judged = judge.judge(relation, grouped(withKnown(chosen, known)), sizes, random.fork('all'));
    return { rows: bestPaths(judged, mostPaths, fewestHits).rows, whole: whole && judged.whole };
  };

  return (relation, round, random, known) => {
    const sizes = miningSizes(round);
    counts.clear();
    const foundAll = finder.count(relation, sizes, random.fork('facts'), counts);
    const { paths, whole: tookAll } = frequentPaths(counts, firstCandidates * sizes.candidates);
    let whole = foundAll && tookAll;
    const mine = (way: 0 | 1): RelationRules => {
      const along = relation + way;
      const stream = random.fork('way', way);
      const candidates = way === 0 ? paths : turnedRound(paths);
      const judged = minePaths(along, candidates, known[way].paths, sizes, stream);
      const found = constants.find(along, sizes, stream.fork('constants'), known[way].constants);
      whole = whole && judged.whole && found.whole;
      return { paths: judged.rows, constants: bestConstants(found.rows) };
    };
    return { rules: [mine(0), mine(1)], whole };
  };
}

/** The paths that were counted most often, at least twice; at equal counts shorter paths first, then by their relations. */
function frequentPaths(
  counts: TupleCounts,
  most: number,
): { readonly paths: Int32Array; readonly whole: boolean } {
  /** How many paths have each count. */
  const histogram: number[] = [];
  let frequent = 0;
  counts.forEach((_a, _b, _c, count) => {
    if (count < fewestHits) return;
    while (histogram.length <= count) histogram.push(0);
    histogram[count]!++;
    frequent++;
  });
  let least = Math.max(fewestHits, histogram.length);
  for (let taken = 0; least > fewestHits && taken < most; taken += histogram[least]!) least--;
  const rows: PathCount[] = [];
  counts.forEach((a, b, c, count) => {
    if (count >= least) rows.push([a, b, c, count]);
  });
  rows.sort((x, y) => y[3] - x[3] || sizeOf(x) - sizeOf(y) || x[0] - y[0] || x[1] - y[1] || x[2] - y[2]);
  const paths = Int32Array.from(rows.slice(0, most).flatMap((row) => row.slice(0, 3)));
  return { paths, whole: frequent <= most };
}

/** r₁, r₂, r₃ and how often. */
type PathCount = readonly [number, number, number, number];

function sizeOf([, b, c]: PathCount): number {
  return b < 0 ? 1 : c < 0 ? 2 : 3;
}

/** The paths of the inverse relation: backwards along the inverses. */
function turnedRound(paths: Int32Array): Int32Array {
  const turned = new Int32Array(paths.length).fill(-1);
  for (let path = 0; 3 * path < paths.length; path++) {
    const length = lengthOf(paths, path);
    for (let i = 0; i < length; i++) turned[3 * path + i] = paths[3 * path + length - 1 - i]! ^ 1;
  }
  return turned;
}

/** Paths, and those of known rules that are not among them. */
function withKnown(paths: Int32Array, known: Int32Array): Int32Array {
  const key = (values: Int32Array, at: number): string => values.subarray(at, at + 3).join(' ');
  const there = new Set<string>();
  for (let at = 0; at < paths.length; at += 3) there.add(key(paths, at));
  const added: number[] = [];
  for (let at = 0; at < known.length; at += 5)
    if (!there.has(key(known, at))) added.push(...known.subarray(at, at + 3));
  return Int32Array.from([...paths, ...added]);
}

/** Paths sorted by their relations, those of one first relation next to each other. */
function grouped(paths: Int32Array): Int32Array {
  const order = Array.from({ length: paths.length / 3 }, (_, path) => 3 * path).sort(
    (a, b) => paths[a]! - paths[b]! || paths[a + 1]! - paths[b + 1]! || paths[a + 2]! - paths[b + 2]!,
  );
  return Int32Array.from(order.flatMap((at) => [...paths.subarray(at, at + 3)]));
}

/**
 * The paths with enough hits and the highest `hits / (predictions + 5) · √hits`; at equal scores shorter paths first, then by relations.
 *
 * By confidence alone, the larger samples are, the more the kept paths would be those that name almost no entity.
 */
function bestPaths(
  { count, relations, hits, predictions }: JudgedPaths,
  most: number,
  fewest: number,
): { readonly paths: Int32Array; readonly rows: Int32Array } {
  const scores = Float64Array.from(
    hits,
    (right, path) => (right / (predictions[path]! + doubt)) * Math.sqrt(right),
  );
  const order = Array.from({ length: count }, (_, path) => path)
    .filter((path) => hits[path]! >= fewest)
    .sort((a, b) => scores[b]! - scores[a]! || lengthOf(relations, a) - lengthOf(relations, b) || a - b)
    .slice(0, most);
  const of = (path: number): number[] => [...relations.subarray(3 * path, 3 * path + 3)];
  return {
    paths: Int32Array.from(order.flatMap(of)),
    rows: Int32Array.from(order.flatMap((path) => [...of(path), hits[path]!, predictions[path]!])),
  };
}

/** The constants of the highest confidence, then by c, q, d. */
function bestConstants(rows: readonly number[]): Int32Array {
  const confidence = (at: number): number => rows[at + 3]! / (rows[at + 4]! + doubt);
  const order = Array.from({ length: rows.length / 5 }, (_, i) => 5 * i)
    .sort(
      (a, b) =>
        confidence(b) - confidence(a) ||
        rows[a]! - rows[b]! ||
        rows[a + 1]! - rows[b + 1]! ||
        rows[a + 2]! - rows[b + 2]!,
    )
    .slice(0, mostConstants);
  return Int32Array.from(order.flatMap((at) => rows.slice(at, at + 5)));
}

/** The rules of a relation 2k and of its inverse, in the order of `compareRules`. */
export function rulesOf(relation: number, { rules }: Pick<MinedRelation, 'rules'>): Rule[] {
  return rules.flatMap((each, way) => decoded(relation + way, each));
}

function decoded(relation: number, { paths, constants }: RelationRules): Rule[] {
  const rules: Rule[] = [];
  for (let at = 0; at < paths.length; at += 5) {
    const path = [...paths.subarray(at, at + 3)].filter((id) => id >= 0);
    rules.push({ kind: 'path', relation, hits: paths[at + 3]!, predictions: paths[at + 4]!, path });
  }
  for (let at = 0; at < constants.length; at += 5) {
    const [tail, along, to, hits, predictions] = constants.subarray(at, at + 5) as unknown as number[];
    rules.push({
      kind: 'constant',
      relation,
      hits: hits!,
      predictions: predictions!,
      tail: tail!,
      body: { relation: along!, tail: to! },
    });
  }
  return rules.sort(compareRules);
}
