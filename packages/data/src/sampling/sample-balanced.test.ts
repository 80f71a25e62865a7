import { createRandom } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import {
  createLinkCounter,
  drawnStructures,
  mostMissing,
  type SampledQueries,
  sampleBalanced,
  sampleQueries,
} from '../index.ts';
import { smallGraphs } from '../testing/small-graphs.ts';
import { wrongAnswers } from '../testing/wrong-answers.ts';

const { known, all, smaller, larger } = smallGraphs('balanced', 200);
const count = 36;
const structureOf = (name: string) => drawnStructures.balanced.find((each) => each.name === name)!;
const sample = (name: string, seed = 1): Promise<SampledQueries<string>> =>
  sampleBalanced({
    ...{ structure: structureOf(name), count, smaller, larger, patience: 4000 },
    random: createRandom('balanced', seed),
  });

/** How many queries have an answer with so many missing links. */
function having(queries: SampledQueries<string>, missing: number): number {
  const counts = createLinkCounter(smaller, larger).count(queries);
  const { offsets } = queries.hard;
  return Array.from({ length: queries.count }, (_, row) =>
    counts.subarray(offsets[row]!, offsets[row + 1]!).includes(missing),
  ).filter(Boolean).length;
}

describe('queries balanced over their missing links', () => {
  it.each(['2p', '2i', '3p', 'pi', 'up', '3in', '4i'])(
    'are as many for each number of links of %s',
    async (name) => {
      const queries = await sample(name);
      const most = mostMissing(queries.shape.template);
      expect(queries.count).toBeGreaterThan(0);
      for (let missing = 1; missing <= most; missing += 1)
        expect(having(queries, missing)).toBeGreaterThanOrEqual(Math.floor(queries.count / most));
    },
  );

  it('are far fewer with many missing links where they are not balanced', async () => {
    const usual = await sampleQueries({
      structure: '3p',
      count,
      smaller,
      larger,
      random: createRandom('usual'),
    });
    const balanced = await sample('3p');
    expect(having(usual, 3)).toBeLessThan(having(balanced, 3) / 2);
  });

  it.each(['2p', 'inp', '4p'])('of %s list all answers of both graphs', async (name) => {
    const queries = await sample(name);
    expect(wrongAnswers(queries, { known, all })).toEqual([]);
    // The answers are not those of the known facts alone.
    expect(wrongAnswers(queries, { known, all: known })).not.toEqual([]);
  });

  it('are the same for a seed, and others for another', async () => {
    const [first, again, other] = [await sample('pi'), await sample('pi'), await sample('pi', 2)];
    expect(again).toEqual(first);
    expect(other.anchors).not.toEqual(first.anchors);
  });

  it('need facts that the smaller graph lacks', async () => {
    const none = sampleBalanced({
      structure: '1p',
      count,
      smaller: larger,
      larger,
      random: createRandom('x'),
    });
    await expect(none).rejects.toThrow('no facts are held out');
  });

  it('count links of conjunctions together, and of disjunctions the most of one operand', () => {
    const most = (name: string): number => mostMissing(structureOf(name).template);
    expect(['1p', '3p', '3i', '2u', 'up', '2in', 'pni', 'pin', '4i'].map(most)).toEqual([
      1, 3, 3, 1, 2, 1, 1, 2, 4,
    ]);
  });
});
