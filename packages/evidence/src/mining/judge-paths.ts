import { type AdjacencyIndex, findGroup, type Random, rowsOf } from '@fuzzqe/core';
import { createPathScratch, edgesPerLevel, expandPath } from '../rules/expand-path.ts';
import { drawPlaces, shuffle } from './draw-places.ts';

/** Paths of a relation with what they predict: of path p, relations from 3p on, −1 behind its end. */
export interface JudgedPaths {
  readonly count: number;
  readonly relations: Int32Array;
  readonly hits: Int32Array;
  readonly predictions: Int32Array;
}

/** How much is looked at to judge a path. */
export interface JudgeSizes {
  /** Heads, of those that the path's first relation leaves. */
  readonly heads: number;
  /** Edges looked at, after which no further head is. */
  readonly work: number;
}

/** Judges paths. */
export interface PathJudge {
  /**
   * Counts what paths predict, with the expansion that answers use, and how many of the predictions are recorded.
   *
   * Shapes: relations [3 × count], paths of one first relation next to each other. Returns whether every head was looked at.
   */
  judge(
    relation: number,
    relations: Int32Array,
    sizes: JudgeSizes,
    random: Random,
  ): JudgedPaths & { readonly whole: boolean };
}

/** After how many numbers the marks begin anew. */
const mostNumbers = 2 ** 30;

/** Makes a judge of paths, whose arrays are used again. */
export function createPathJudge(index: AdjacencyIndex): PathJudge {
  const { relationOffsets, relationHeads, groupOffsets, tails } = index;
  const rows = rowsOf(index);
  const entityCount = index.headOffsets.length - 1;
  const scratch = createPathScratch();
  /** The number of the head whose tail an entity is, and the number of the expansion that ended there last. */
  const recorded = new Int32Array(entityCount);
  const ended = new Int32Array(entityCount);
  let headNumber = 0;
  let expansion = 0;
  let places = new Int32Array();

  return {
    judge(relation, relations, sizes, random) {
      const count = relations.length / 3;
      const hits = new Int32Array(count);
      const predictions = new Int32Array(count);
      const work = new Float64Array(count);
      let whole = true;
      if (places.length < sizes.heads) places = new Int32Array(sizes.heads);
      for (let from = 0, to = 0; from < count; from = to) {
        const first = relations[3 * from]!;
        while (to < count && relations[3 * to] === first) to++;
        const heads = relationHeads.subarray(relationOffsets[first]!, relationOffsets[first + 1]!);
        const drawn = drawPlaces(random, heads.length, sizes.heads, places);
        shuffle(random, places, drawn);
        whole &&= drawn === heads.length;
        for (let i = 0; i < drawn; i++) {
          const head = heads[places[i]!]!;
          if (expansion > mostNumbers) {
            recorded.fill(0);
            ended.fill(0);
            headNumber = 0;
            expansion = 0;
          }
          headNumber++;
          const group = findGroup(rows, head, relation);
          if (group >= 0)
            for (let edge = groupOffsets[group]!; edge < groupOffsets[group + 1]!; edge++)
              recorded[tails[edge]!] = headNumber;
          for (let path = from; path < to; path++) {
            if (work[path]! >= sizes.work) {
              whole = false;
              continue;
            }
            const length = lengthOf(relations, path);
            work[path]! += expandPath(rows, scratch, head, relations, 3 * path, length);
            expansion++;
            const base = (length - 1) * edgesPerLevel;
            let [said, right] = [0, 0];
            for (let end = base; end < base + scratch.count; end++) {
              const tail = scratch.entities[end]!;
              if (ended[tail] === expansion) continue;
              ended[tail] = expansion;
              said++;
              if (recorded[tail] === headNumber) right++;
            }
            predictions[path]! += said;
            hits[path]! += right;
          }
        }
      }
      return { count, relations, hits, predictions, whole };
    },
  };
}

/** How many relations path p has. */
export function lengthOf(relations: Int32Array, path: number): number {
  if (relations[3 * path + 1]! < 0) return 1;
  return relations[3 * path + 2]! < 0 ? 2 : 3;
}
