import { createKnowledgeGraph, createRandom, FuzzError, type KnowledgeGraph } from '@fuzzqe/core';
import { type StructureName, structureNames, structures, type Template } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import {
  type AddedRules,
  enumerateProjections,
  queryRow,
  type SampledQueries,
  type SamplingPool,
  sampleQueries,
  structureOf,
} from '../index.ts';
import { createQueriesBuilder } from '../queries/sampled-queries.ts';
import { bruteForceAnswers, smallEntityCount as entityCount, smallGraphs } from '../testing/small-graphs.ts';
import { createBlockDraw } from './draw-block.ts';

const { known, all, smaller, larger } = smallGraphs('sampling test');
/** Below what some queries of the small graphs have. */
const cap = 6;

function rowsOf(queries: SampledQueries<string>) {
  return Array.from({ length: queries.count }, (_, row) => queryRow(queries, row));
}

function sample(structure: StructureName, options: Partial<Parameters<typeof sampleQueries>[0]> = {}) {
  return sampleQueries({
    structure,
    count: 40,
    smaller,
    larger,
    random: createRandom('sample', structure),
    maxAnswers: cap,
    ...options,
  });
}

/**
 * The operands of a query, each an anchor and then the steps up to the answer; `!` is a negation.
 *
 * Relation 7 is written 6, which asks the same.
 */
function pathsOf(node: Template, anchors: Int32Array, relations: Int32Array): string[] {
  switch (node.op) {
    case 'entity':
      return [String(anchors[node.anchor])];
    case 'project': {
      const relation = relations[node.relation]!;
      return pathsOf(node.from, anchors, relations).map((path) => `${path} ${relation === 7 ? 6 : relation}`);
    }
    case 'not':
      return pathsOf(node.operand, anchors, relations).map((path) => `${path} !`);
    default:
      return node.operands.flatMap((operand) => pathsOf(operand, anchors, relations));
  }
}

/** The projections that follow each other without a conjunction or disjunction between them: pairs of slots, by chain. */
function chainsOf(node: Template, above?: number): (readonly [inner: number, outer: number])[][] {
  switch (node.op) {
    case 'entity':
      return [];
    case 'project': {
      const pair = above === undefined ? [] : [[[node.relation, above] as const]];
      return [...pair, ...chainsOf(node.from, node.relation)];
    }
    case 'not':
      return chainsOf(node.operand, above);
    default:
      return node.operands.flatMap((operand) => chainsOf(operand));
  }
}

describe.each(structureNames)('sampled %s queries', (name) => {
  const { template } = structures[name];

  it('have the easy and hard answers that the definition gives', async () => {
    const queries = await sample(name);
    expect(queries.count).toBe(40);
    for (const { anchors, relations, easy, hard } of rowsOf(queries)) {
      const before = bruteForceAnswers(known, template, anchors, relations);
      const after = bruteForceAnswers(all, template, anchors, relations);
      expect([...easy]).toEqual(before);
      expect([...hard]).toEqual(after.filter((entity) => !before.includes(entity)));
      expect(hard.length).toBeGreaterThan(0);
      expect(hard.length).toBeLessThanOrEqual(cap);
    }
  });

  it('have all their answers as easy ones when they are for training', async () => {
    const queries = await sample(name, { smaller: null, larger: smaller });
    expect(queries.count).toBe(40);
    expect(queries.hard.ids).toHaveLength(0);
    for (const { anchors, relations, easy } of rowsOf(queries)) {
      expect([...easy]).toEqual(bruteForceAnswers(known, template, anchors, relations));
      expect(easy.length).toBeGreaterThan(0);
      expect(easy.length).toBeLessThanOrEqual(cap);
    }
  });

  it('have as many answers as the cap, where that is one', async () => {
    const lengthsOf = (queries: SampledQueries<string>, which: 'easy' | 'hard') =>
      new Set(rowsOf(queries).map((row) => row[which].length));
    expect(lengthsOf(await sample(name, { maxAnswers: 1 }), 'hard')).toEqual(new Set([1]));
    const training = await sample(name, { maxAnswers: 1, smaller: null, larger: smaller });
    expect(lengthsOf(training, 'easy')).toEqual(new Set([1]));
  });

  it('ask nothing twice, and nothing that contradicts itself', async () => {
    const queries = await sample(name, { count: 200, rules: { skipMirrored: true } });
    const names = rowsOf(queries).map(({ anchors, relations }) => {
      const paths = pathsOf(template, anchors, relations);
      expect(new Set(paths.map((path) => path.replace(' !', ''))).size).toBe(paths.length);
      return paths.sort().join(' & ');
    });
    expect(new Set(names).size).toBe(queries.count);
  });

  it('never apply a relation and then its inverse within a chain', async () => {
    for (const { relations } of rowsOf(await sample(name, { count: 200 })))
      for (const chain of chainsOf(template))
        for (const [inner, outer] of chain) expect(relations[outer]).not.toBe(relations[inner]! ^ 1);
  });

  it('are the same for the same seed, and others for another', async () => {
    const [one, same, other] = [
      await sample(name, { random: createRandom(1) }),
      await sample(name, { random: createRandom(1) }),
      await sample(name, { random: createRandom(2) }),
    ];
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
  });
});

describe.each(structureNames.filter((name) => structures[name].negation))('sampled %s queries', (name) => {
  const { template } = structures[name];

  it('have fewer answers than without their negation', async () => {
    const positive = (node: Template): Template => {
      if (node.op === 'project') return { ...node, from: positive(node.from) };
      if (node.op !== 'and') return node;
      const kept = node.operands.filter(({ op }) => op !== 'not');
      return kept.length === 1 ? kept[0]! : { op: 'and', operands: kept };
    };
    const rules = { skipIdleNegation: true };
    for (const { anchors, relations } of rowsOf(await sample(name, { rules }))) {
      const without = bruteForceAnswers(all, positive(template), anchors, relations);
      expect(without.length).toBeGreaterThan(bruteForceAnswers(all, template, anchors, relations).length);
    }
  });

  /** How many of the easy answers of each query held-out facts take away. */
  const lostOf = (queries: SampledQueries<string>): number[] =>
    rowsOf(queries).map(({ anchors, relations, easy }) => {
      const after = new Set(bruteForceAnswers(all, template, anchors, relations));
      return easy.filter((entity) => !after.has(entity)).length;
    });

  it('have easy answers that held-out facts take away, and no more than the cap', async () => {
    const lost = lostOf(await sample(name));
    expect(lost).toHaveLength(40);
    expect(Math.min(...lost)).toBeGreaterThan(0);
    expect(Math.max(...lost)).toBeLessThanOrEqual(cap);
    // At a negated conjunction of few links facts seldom take several away: there a cap of 1 leaves nothing out.
    if (!['inp', 'pin', 'pni'].includes(name)) return;
    expect(Math.max(...lostOf(await sample(name, { count: 200 })))).toBeGreaterThan(1);
    expect(new Set(lostOf(await sample(name, { count: 200, maxAnswers: 1 })))).toEqual(new Set([1]));
  });
});

describe('sampling', () => {
  it('finds every 1p query there is, and stops when there are no more', async () => {
    const all = { count: 10_000, maxAnswers: entityCount, patience: 5000 };
    const sampled = await sample('1p', { ...all, rules: { skipMirrored: true } });
    const listed = enumerateProjections({ smaller, larger });
    const keys = (queries: SampledQueries<string>): string[] =>
      rowsOf(queries).map(
        ({ anchors, relations, easy, hard }) => `${anchors} ${relations}: ${easy} | ${hard}`,
      );
    expect(sampled.count).toBeLessThan(10_000);
    // Of the relation that mirrors itself the sampler keeps one direction, the list both.
    const once = keys(listed).filter((key) => !/^\d+ [67]:/.test(key));
    expect(
      keys(sampled)
        .filter((key) => !/^\d+ [67]:/.test(key))
        .sort(),
    ).toEqual(once.sort());
    expect(keys(await sample('1p', all)).sort()).toEqual(keys(listed).sort());
  });

  it.each(['ip', 'up', 'inp'] as const)(
    'lets an operand of %s undo what is applied to the whole',
    async (name) => {
      const { template } = structures[name];
      if (template.op !== 'project' || !('operands' in template.from))
        throw new Error(`${name} has another form`);
      const outer = template.relation;
      const inner = template.from.operands.flatMap((operand) => {
        const positive = operand.op === 'not' ? operand.operand : operand;
        return positive.op === 'project' ? [positive.relation] : [];
      });
      const undone = rowsOf(await sample(name, { count: 200 })).filter(({ relations }) =>
        inner.some((slot) => relations[slot] === (relations[outer]! ^ 1)),
      );
      expect(undone.length).toBeGreaterThan(10);
    },
  );

  it('has queries that an added rule leaves out', async () => {
    const idle = async (rules: AddedRules): Promise<number> => {
      const queries = await sample('2in', { smaller: null, count: 300, maxAnswers: entityCount, rules });
      const [first] = structures['2in'].template.op === 'and' ? structures['2in'].template.operands : [];
      return rowsOf(queries).filter(
        ({ anchors, relations, easy }) =>
          bruteForceAnswers(all, first!, anchors, relations).length === easy.length,
      ).length;
    };
    expect(await idle({ skipIdleNegation: true })).toBe(0);
    const back = async (rules: AddedRules): Promise<number> =>
      rowsOf(await sample('2p', { count: 300, rules })).filter(
        ({ relations: [first, second] }) => first === 7 || second === 7,
      ).length;
    expect(await back({})).toBeGreaterThan(await back({ skipMirrored: true }));
  });

  it('finds no test query when nothing is held out', async () => {
    const queries = await sample('2i', { smaller: larger, patience: 500 });
    expect(queries.count).toBe(0);
  });

  /** What is found where the draws of the given numbers, counted from 0, each give the 1p query of an anchor. */
  async function foundBy(anchorOfDraw: Readonly<Record<number, number>>, patience: number, edges = 0) {
    let first = 0;
    let blocks = 0;
    const pool: SamplingPool = {
      ...{ graphs: [larger], atOnce: 1, close: async () => {} },
      async draw({ draws: count }) {
        const queries = createQueriesBuilder<string>(structureOf<string>('1p'));
        const draws: number[] = [];
        for (const [draw, anchor] of Object.entries(anchorOfDraw)) {
          const place = Number(draw) - first;
          if (place < 0 || place >= count) continue;
          queries.add({ anchors: [anchor], relations: [0], easy: [0], hard: [] });
          draws.push(place);
        }
        first += count;
        blocks += 1;
        if (blocks > 9) throw new Error('sampling does not stop');
        return { queries: queries.build(), draws: Int32Array.from(draws), edges };
      },
    };
    const found = await sample('1p', { smaller: null, count: 10, patience, pool });
    return { anchors: Array.from(found.anchors), blocks };
  }

  it('stops by the edges that blocks without a new query have looked at', async () => {
    // Blocks begin at the draws 0, 32, 96 and 224.
    expect(await foundBy({ 5: 1, 230: 2 }, 10_000, 4e8)).toEqual({ anchors: [1, 2], blocks: 7 });
    expect(await foundBy({ 5: 1, 230: 2 }, 10_000, 5e8)).toEqual({ anchors: [1], blocks: 3 });
  });

  it('looks at no edge of a query whose relations have no held-out fact', () => {
    // Entity 0 has 60 tails under relation 0; under relation 2 the larger graph has one fact more.
    const hub = Array.from({ length: 60 }, (_, i) => [0, 0, i + 1]);
    const graphOf = (...more: number[][]): KnowledgeGraph =>
      createKnowledgeGraph({
        entityCount: 61,
        relationCount: 4,
        triples: Int32Array.from([...hub, ...more].flat()),
      });
    const [small, large, other] = [
      graphOf([1, 2, 2]),
      graphOf([1, 2, 2], [1, 2, 3]),
      graphOf([1, 2, 2], [0, 2, 9]),
    ];
    const task = { structure: structureOf('1p'), maxAnswers: 100, rules: {}, seed: [1, 2, 3, 4], draws: 500 };
    const edgesOf = (graphs: readonly KnowledgeGraph[]): number =>
      createBlockDraw((index) => graphs[index]!)({ ...task, larger: 0, smaller: 1 }).edges;
    expect(edgesOf([small, small])).toBe(0);
    expect(edgesOf([large, small])).toBeGreaterThan(0);
    // Of the hub's 60 tails none is looked at: no query of relation 2 has more than two answers.
    expect(edgesOf([large, small])).toBeLessThan(60);
    expect(edgesOf([other, large])).toBeGreaterThan(0);
  });

  it('stops by the draws since the last new query, wherever blocks of draws end', async () => {
    // Blocks have 32 draws, 64, and so on. Draws 6 to 45 are forty.
    expect((await foundBy({ 5: 1, 45: 2, 46: 3 }, 40)).anchors).toEqual([1, 2, 3]);
    expect((await foundBy({ 5: 1, 46: 2, 47: 3 }, 40)).anchors).toEqual([1]);
    expect((await foundBy({ 39: 1 }, 40)).anchors).toEqual([1]);
    expect((await foundBy({ 40: 1 }, 40)).anchors).toEqual([]);
    // What was found before is nothing new.
    expect((await foundBy({ 5: 1, 30: 1, 46: 2 }, 40)).anchors).toEqual([1]);
    // No block is waited for that comes too late: draws 6 to 31 are 26.
    expect((await foundBy({ 5: 1 }, 26)).blocks).toBe(1);
    expect((await foundBy({ 5: 1 }, 27)).blocks).toBe(2);
  });

  it('reports its progress up to the end', async () => {
    const seen: number[] = [];
    await sample('2p', { count: 100, onProgress: (done, total) => seen.push(done, total) });
    expect(seen.slice(-2)).toEqual([100, 100]);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const running = sample('3i', {
      count: 1e9,
      patience: 1e9,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(running).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('does not start when it was told to stop before', async () => {
    await expect(sample('1p', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'interrupted',
    });
  });

  it('refuses numbers and graphs that make no sense', async () => {
    const other = createKnowledgeGraph({ entityCount: 3, relationCount: 2, triples: Int32Array.of(0, 0, 1) });
    await expect(sample('1p', { count: 0 })).rejects.toMatchObject({ code: 'range', path: 'count' });
    await expect(sample('1p', { maxAnswers: 1.5 })).rejects.toMatchObject({
      code: 'range',
      path: 'maxAnswers',
    });
    await expect(sample('1p', { smaller: other })).rejects.toBeInstanceOf(FuzzError);
  });
});

describe('listed 1p queries', () => {
  it('are all pairs of an entity and a relation that leaves it', () => {
    const queries = enumerateProjections({ smaller: null, larger });
    const pairs = new Set(
      all.flatMap(([head, relation, tail]) => [`${head} ${relation}`, `${tail} ${relation + 1}`]),
    );
    expect(new Set(rowsOf(queries).map(({ anchors, relations }) => `${anchors} ${relations}`))).toEqual(
      pairs,
    );
    expect(queries.count).toBe(pairs.size);
  });

  it('keep to the cap', () => {
    const queries = enumerateProjections({ smaller: null, larger, maxAnswers: 2 });
    expect(rowsOf(queries).every(({ easy }) => easy.length <= 2)).toBe(true);
  });

  it('are those with no more hard answers than the cap, however many easy ones there are', () => {
    const textsOf = (rows: ReturnType<typeof rowsOf>): string[] =>
      rows.map((row) => Object.values(row).map(String).join(' | '));
    const every = rowsOf(enumerateProjections({ smaller, larger }));
    const few = every.filter(({ hard }) => hard.length === 1);
    expect(few.length).toBeLessThan(every.length);
    expect(few.some(({ easy }) => easy.length > 1)).toBe(true);
    const kept = enumerateProjections({ smaller, larger, maxAnswers: 1 });
    expect(textsOf(rowsOf(kept))).toEqual(textsOf(few));
  });
});
