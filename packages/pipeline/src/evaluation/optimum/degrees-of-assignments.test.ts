import { createRandom, type Random } from '@fuzzqe/core';
import { instantiate, type Query, structureNames, structures } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { degreesOfAssignments, type NormName, normNames, type OptimumWay } from './degrees-of-assignments.ts';
import type { LinkRows } from './link-rows.ts';

const [entities, relations] = [6, 3];
const all = Array.from({ length: entities }, (_, id) => id);

/** Degrees of all links, some of them 0 and 1. */
function randomLinks(random: Random): number[][][] {
  const degree = (): number => {
    const kind = random.below(5);
    // Numbers that float32 holds, so that equal degrees are equal.
    return kind === 0 ? 0 : kind === 1 ? 1 : Math.fround(random.uniform());
  };
  return Array.from({ length: relations }, () => all.map(() => all.map(degree)));
}

const rowsOf = (degrees: readonly (readonly (readonly number[])[])[]): LinkRows => ({
  entityCount: entities,
  rows: async (heads, relation) => Array.from(heads, (head) => Float32Array.from(degrees[relation]![head]!)),
});

type Negation = 'ofLinks' | 'ofBest';

/**
 * The degree of the best assignment, found by trying every assignment: each projection of something else than an anchor has a variable.
 *
 * Shapes: → [|E|].
 */
function bruteForce(
  degrees: readonly (readonly (readonly number[])[])[],
  query: Query,
  norm: NormName,
  negated: (degree: number) => number,
): number[] {
  const and = (a: number, b: number): number => (norm === 'product' ? a * b : Math.min(a, b));
  const or = (a: number, b: number): number => (norm === 'product' ? a + b - a * b : Math.max(a, b));
  const variables: Query[] = [];
  const visit = (node: Query): void => {
    if (node.op === 'entity') return;
    if (node.op === 'project') {
      if (node.from.op !== 'entity') variables.push(node.from);
      visit(node.from);
    } else if (node.op === 'not') visit(node.operand);
    else node.operands.forEach(visit);
  };
  visit(query);
  return all.map((answer) => {
    let best = 0;
    for (let code = 0; code < entities ** variables.length; code += 1) {
      const entityOf = (node: Query): number =>
        node.op === 'entity'
          ? node.entity
          : Math.floor(code / entities ** variables.indexOf(node)) % entities;
      const degreeOf = (node: Query, value: number, sign: (degree: number) => number): number => {
        switch (node.op) {
          case 'entity':
            return node.entity === value ? 1 : 0;
          case 'project': {
            const head = entityOf(node.from);
            const link = sign(degrees[node.relation]![head]![value]!);
            return node.from.op === 'entity'
              ? link
              : and(
                  degreeOf(node.from, head, (x) => x),
                  link,
                );
          }
          case 'not':
            return degreeOf(node.operand, value, negated);
          default:
            return node.operands
              .map((operand) => degreeOf(operand, value, sign))
              .reduce(node.op === 'and' ? and : or);
        }
      };
      best = Math.max(
        best,
        degreeOf(query, answer, (x) => x),
      );
    }
    return best;
  });
}

const wayOf = (norm: NormName, negation: Negation, beam?: number): OptimumWay => ({
  norm,
  negatesLinks: negation === 'ofLinks',
  negated: (degree) => 1 - degree,
  ...(beam === undefined ? {} : { beam }),
});

/** The largest difference from trying all assignments, over some queries of a structure. */
async function farthest(name: (typeof structureNames)[number], way: OptimumWay): Promise<number> {
  const random = createRandom('assignments', name);
  let most = 0;
  for (let i = 0; i < 8; i += 1) {
    const { template, anchors, relations: slots } = structures[name];
    const query = instantiate(
      template,
      Array.from({ length: anchors }, () => random.below(entities)),
      Array.from({ length: slots }, () => random.below(relations)),
    );
    const degrees = randomLinks(random);
    const found = await degreesOfAssignments(rowsOf(degrees), way, query);
    const expected = bruteForce(degrees, query, way.norm, way.negated);
    most = Math.max(most, ...all.map((e) => Math.abs(found[e]! - expected[e]!)));
  }
  return most;
}

const positive = structureNames.filter((name) => !structures[name].negation);

describe('the best assignment', () => {
  it.each(structureNames.flatMap((name) => normNames.map((norm) => [name, norm] as const)))(
    'is that of all assignments: %s, %s',
    async (name, norm) => {
      expect(await farthest(name, wayOf(norm, 'ofLinks'))).toBeLessThan(1e-6);
    },
  );

  it.each(positive.flatMap((name) => normNames.map((norm) => [name, norm] as const)))(
    'is found by a beam of all entities: %s, %s',
    async (name, norm) => {
      expect(await farthest(name, wayOf(norm, 'ofBest', entities))).toBeLessThan(1e-6);
    },
  );

  it('is missed by a beam of one entity, in structures with a variable alone', async () => {
    const missed: string[] = [];
    for (const name of positive)
      if ((await farthest(name, wayOf('product', 'ofBest', 1))) > 1e-3) missed.push(name);
    expect(missed).toEqual(['2p', '3p', 'pi', 'ip', 'up']);
  });

  it('with ¬ of a path differs from the negation of its best assignment', async () => {
    expect(await farthest('pni', wayOf('product', 'ofBest'))).toBeGreaterThan(1e-3);
    expect(await farthest('2in', wayOf('product', 'ofBest'))).toBeLessThan(1e-6);
  });

  it('is refused of an entity that the graph does not have', async () => {
    const query = instantiate(structures['1p'].template, [entities], [0]);
    const found = degreesOfAssignments(rowsOf(randomLinks(createRandom('x'))), wayOf('min', 'ofBest'), query);
    await expect(found).rejects.toMatchObject({ code: 'range' });
  });
});
