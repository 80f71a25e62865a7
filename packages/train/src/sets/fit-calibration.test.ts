import { type Calibration, defaultCalibration } from '@fuzzqe/core/sets';
import { parseStructure, type QueryScorer, type SampledQueries, structureOf } from '@fuzzqe/data';
import { describe, expect, it } from 'vitest';
import { fitCalibration } from './fit-calibration.ts';

const entityCount = 100;
const starts = [defaultCalibration] as const;
const own = parseStructure('far = project(?r4, project(?r3, project(?r2, project(?r1, ?a1))))');

/** Queries of a structure, each with entity 0 as its one hard answer. */
function queriesOf(structure: '1p' | '2p' | typeof own, count: number): SampledQueries<string> {
  const shape = structureOf<string>(structure);
  const none = { offsets: new Int32Array(count + 1), ids: new Int32Array() };
  const first = { offsets: Int32Array.from({ length: count + 1 }, (_, i) => i), ids: new Int32Array(count) };
  const [anchors, relations] = [shape.anchors * count, shape.relations * count];
  return {
    ...{ structure: shape.name, shape, count, easy: none, hard: first },
    ...{ anchors: new Int32Array(anchors), relations: new Int32Array(relations) },
  };
}

/** A scorer that ranks the answer of every query as told. */
function ranking(rankOf: (calibration: Calibration, structure: string) => number) {
  return (calibration: Calibration): QueryScorer =>
    async (structure, _anchors, _relations, rows) => {
      const better = rankOf(calibration, structure.name) - 1;
      return Float32Array.from({ length: rows * entityCount }, (_, i) => {
        const id = i % entityCount;
        return id === 0 ? 0.5 : id <= better ? 1 : 0;
      });
    };
}

describe('a calibration that is fitted', () => {
  it('takes no step that gains less than it has to', async () => {
    // 1/20 and 1/21 differ by 0.0024, 1/60 and 1/61 by 0.0003.
    const mrrOf = async (rank: number, leastGain?: number): Promise<number> => {
      const score = ranking(({ support }) => (support === defaultCalibration.support ? rank + 1 : rank));
      const options = { ...{ queries: [queriesOf('1p', 1)], entityCount, score, starts } };
      const found = await fitCalibration(leastGain === undefined ? options : { ...options, leastGain });
      expect(found.startMrr).toBeCloseTo(1 / (rank + 1), 12);
      return found.mrr;
    };
    expect(await mrrOf(20, 0.002)).toBeCloseTo(1 / 20, 12);
    expect(await mrrOf(20, 0.003)).toBeCloseTo(1 / 21, 12);
    expect(await mrrOf(20)).toBeCloseTo(1 / 20, 12);
    expect(await mrrOf(60)).toBeCloseTo(1 / 61, 12);
    expect(await mrrOf(60, 0.0002)).toBeCloseTo(1 / 60, 12);
  });

  it.each([
    ['of the 14', queriesOf('2p', 3)],
    ['of its own', queriesOf(own, 3)],
  ])('counts structures alike, however many queries they have: one %s', async (_, many) => {
    // The mean over structures is 5/12 and then 5/8; over queries it is 11/24 and then 7/16.
    const score = ranking(({ support }, structure) => {
      const [start, moved] = structure === '1p' ? [3, 1] : [2, 4];
      return support === defaultCalibration.support ? start : moved;
    });
    const queries = [queriesOf('1p', 1), many];
    const found = await fitCalibration({ queries, entityCount, score, starts });
    expect(found.startMrr).toBeCloseTo(5 / 12, 12);
    expect(found.mrr).toBeCloseTo(5 / 8, 12);
    expect(found.calibration.support).not.toBe(defaultCalibration.support);
  });
});
