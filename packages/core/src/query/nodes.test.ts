import { describe, expect, it } from 'vitest';
import { asEntityId, asRelationId } from '../kg/ids.ts';
import { leavesOf, nodesOf } from './nodes.ts';
import type { Condition, LinkCondition } from './pattern.ts';
import { and, entity, not, or, project, type Query } from './query.ts';

const anchor = (id: number): Query => entity(asEntityId(id));
const hop = (relation: number, from: Query): Query => project(asRelationId(relation), from);

describe('the nodes of a tree', () => {
  it('come before the nodes below them, from left to right', () => {
    const inner = hop(0, or(anchor(1), anchor(2)));
    const tree = and(inner, not(anchor(3)));
    const told = nodesOf(tree).map((node) => (node.op === 'entity' ? node.entity : node.op));
    expect(told).toEqual(['and', 'project', 'or', 1, 2, 'not', 3]);
    expect(leavesOf(tree)).toEqual([1, 2, 3].map(anchor));
  });

  it('have a link of a pattern as a leaf, because its ends are terms', () => {
    const [from, to] = [{ variable: 0 }, { variable: 1 }];
    const link: LinkCondition = { op: 'link', relation: asRelationId(0), from, to };
    const where: Condition = { op: 'not', operand: link };
    expect(nodesOf(where)).toEqual([where, link]);
    // The control: a projection has a tree at its end.
    expect(nodesOf(hop(0, anchor(1)))).toHaveLength(2);
  });

  it('overflow no stack, however deep they are', () => {
    let deep = anchor(0);
    for (let i = 0; i < 100_000; i += 1) deep = not(deep);
    expect(nodesOf(deep)).toHaveLength(100_001);
  });
});
