import { describe, expect, it } from 'vitest';
import { asEntityId, asRelationId } from '../kg/ids.ts';
import { and, entity, not, or, project, type Query } from './query.ts';
import { structureNames, structures } from './structures.ts';
import { instantiate, matchStructure, templateOf } from './template.ts';

const anchors = [10, 11, 12];
const relations = [20, 21, 22];

/** The query with the operands of every and/or the other way round. */
function reversed(query: Query): Query {
  switch (query.op) {
    case 'entity':
      return query;
    case 'project':
      return { ...query, from: reversed(query.from) };
    case 'not':
      return { ...query, operand: reversed(query.operand) };
    default:
      return { ...query, operands: query.operands.map(reversed).reverse() };
  }
}

describe.each(structureNames)('structure %s', (name) => {
  const structure = structures[name];
  const slots = {
    anchors: anchors.slice(0, structure.anchors),
    relations: relations.slice(0, structure.relations),
  };
  const query = instantiate(structure.template, anchors, relations);

  it('is recognised, with its slots in order', () => {
    expect(matchStructure(query)).toEqual({ structure, ...slots });
  });

  it('is recognised with its operands the other way round', () => {
    const reordered = reversed(query);
    const match = matchStructure(reordered);
    expect(match?.structure.name).toBe(name);
    const filled = instantiate(structure.template, match!.anchors, match!.relations);
    // Which of two operands of one shape comes first is free; sorted by content they must be the same.
    expect(sorted(filled)).toBe(sorted(query));
  });

  it('comes apart into the template and slots it was made from', () => {
    expect(templateOf(query)).toEqual({ template: structure.template, ...slots });
  });
});

function sorted(query: Query): string {
  switch (query.op) {
    case 'entity':
      return `e${query.entity}`;
    case 'project':
      return `p${query.relation}(${sorted(query.from)})`;
    case 'not':
      return `n(${sorted(query.operand)})`;
    default:
      return `${query.op}(${query.operands.map(sorted).sort().join()})`;
  }
}

describe('matchStructure', () => {
  const hop = (a: number, ...path: number[]): Query =>
    path.reduce<Query>((from, r) => project(asRelationId(r), from), entity(asEntityId(a)));

  it.each<[string, Query]>([
    ['an anchor', hop(1)],
    ['four hops', hop(1, 2, 3, 4, 5)],
    ['a negation alone', not(hop(1, 2))],
    ['a conjunction of four', and(hop(1, 2), hop(1, 2), hop(1, 2), hop(1, 2))],
    ['a disjunction with a negation', or(hop(1, 2), not(hop(1, 2)))],
    ['a conjunction of negations', and(not(hop(1, 2)), not(hop(1, 2)))],
    ['a conjunction in a conjunction', and(and(hop(1, 2), hop(1, 2)), hop(1, 2))],
    ['a double negation', and(hop(1, 2), not(not(hop(1, 2))))],
  ])('does not recognise %s', (_, query) => {
    expect(matchStructure(query)).toBeUndefined();
  });
});

describe('instantiate', () => {
  it('refuses to leave a slot empty', () => {
    expect(() => instantiate(structures['2i'].template, [1], [2, 3])).toThrow(
      'anchor slot 1: expected a value, got 1 anchors',
    );
  });
});
