import type { KnowledgeGraph } from '@fuzzqe/core';
import type { LogicName } from '@fuzzqe/core/logic';
import { createAnswerer, templateOf } from '@fuzzqe/core/query';
import { createSetLogic, recordedComeFirst } from '@fuzzqe/core/sets';
import type { RankRequest, SetsResult } from './ranker.ts';

/**
 * Answers requests of mode sets that need no degree of a link: at least k answers are recorded, and all come before other entities.
 *
 * The results are those of a ranker; undefined for every request that needs more than the facts of now.
 */
export function createRecordedFirst(
  facts: KnowledgeGraph,
  logic: LogicName,
): (request: RankRequest) => SetsResult | undefined {
  const answerer = createAnswerer(facts);
  const state = { facts, logic: createSetLogic(logic) };
  return (request) => {
    if (request.task !== 'sets' || request.at !== undefined) return undefined;
    const { query, k, exclude, allowed } = request;
    if (exclude === 'known' || allowed !== undefined || !recordedComeFirst(state, query)) return undefined;
    const { template, anchors, relations } = templateOf(query);
    const { set, size } = answerer.find(template, anchors, relations);
    if (size < k) return undefined;
    const ids = new Int32Array(k);
    let count = 0;
    for (const id of set) {
      ids[count] = id;
      count += 1;
      if (count === k) break;
    }
    const all = { degrees: new Float32Array(k).fill(1), known: new Uint8Array(k).fill(1) };
    return { task: 'sets', ids, ...all, operands: query.op === 'and' ? query.operands.map(() => all) : [] };
  };
}
