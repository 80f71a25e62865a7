import { createKnowledgeGraph, createRandom } from '@fuzzqe/core';
import { structureNames } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { queriesToJsonLines, queryRow, sampleQueries, sampleUnselected } from '../index.ts';
import { smallGraphs } from '../testing/small-graphs.ts';
import { wrongAnswers } from '../testing/wrong-answers.ts';

const { known, all, smaller, larger } = smallGraphs('unselected', 200);
const sample = (structure: (typeof structureNames)[number], of = larger) =>
  sampleUnselected({
    ...{ structure, count: 60, smaller, larger: of, patience: 4000 },
    random: createRandom('unselected', 1),
  });
const asked = (queries: Awaited<ReturnType<typeof sample>>) =>
  Array.from({ length: queries.count }, (_, row) => {
    const { anchors, relations } = queryRow(queries, row);
    return [...anchors, ...relations].join();
  });

describe('unselected queries', () => {
  it.each(structureNames)(
    'of %s do not depend on held-out facts, which only say which answers are hard',
    async (name) => {
      const queries = await sample(name);
      const without = await sample(name, smaller);
      expect(queries.count).toBeGreaterThan(20);
      expect(asked(queries)).toEqual(asked(without));
      expect(without.hard.ids).toHaveLength(0);
    },
  );

  it('would depend on them if they were drawn for their hard answers', async () => {
    const random = createRandom('selected');
    const selected = await sampleQueries({ structure: '2i', count: 60, smaller, larger, random });
    const hard = Array.from({ length: selected.count }, (_, row) => queryRow(selected, row).hard.length);
    expect(Math.min(...hard)).toBeGreaterThan(0);
    const queries = await sample('2i');
    const counts = Array.from({ length: queries.count }, (_, row) => queryRow(queries, row).hard.length);
    expect(counts.filter((count) => count === 0).length).toBeGreaterThan(queries.count / 4);
    expect(counts.some((count) => count > 0)).toBe(true);
  });

  it.each(['2p', 'pi', '3in'] as const)('of %s list all answers of both graphs', async (name) => {
    const queries = await sample(name);
    expect(wrongAnswers(queries, { known, all })).toEqual([]);
    // The answers are not those of the known facts alone.
    expect(wrongAnswers(queries, { known, all: known })).not.toEqual([]);
  });

  it('ask about entities of which nothing is known, too, and are new', async () => {
    const queries = await sample('1p');
    const rows = Array.from({ length: queries.count }, (_, row) => queryRow(queries, row));
    expect(rows.some(({ easy }) => easy.length === 0)).toBe(true);
    expect(new Set(asked(queries)).size).toBe(queries.count);
  });

  it('are the same for the same seed', async () => {
    const lines = async () => [...queriesToJsonLines([await sample('pni')])].join('');
    expect(await lines()).toBe(await lines());
  });

  it('are refused without what they need', async () => {
    const tiny = createKnowledgeGraph({ entityCount: 2, relationCount: 2, triples: Int32Array.of(0, 0, 1) });
    const options = {
      structure: '1p',
      count: 0,
      smaller: tiny,
      larger: tiny,
      random: createRandom('x'),
    } as const;
    await expect(sampleUnselected(options)).rejects.toMatchObject({ code: 'range' });
  });
});
