import { asEntityId, asRelationId } from '@fuzzqe/core';
import { and, entity, not, project } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { fromQuery } from '../../question/to-query.ts';
import { fitText } from './caption-text.ts';
import { layoutGraph } from './layout-graph.ts';

const hop = (relation: number, from: number) => project(asRelationId(relation), entity(asEntityId(from)));
const question = fromQuery(and(hop(0, 1), not(hop(2, 2))));
const options = { size: { width: 148, height: 112, radius: 15 }, measure: (text: string) => text.length * 7 };

describe.each([
  ['right', 'x'],
  ['down', 'y'],
] as const)('a dependency graph that points %s', (direction, axis) => {
  const labelOf = (part: { kind: string }): string => (part.kind === 'hop' ? 'a relation' : '');
  const { parts, arrows, width, height } = layoutGraph(question, { ...options, direction, labelOf });
  const at = new Map(parts.map((part) => [part.part.key, part]));

  it('has an arrow from each part to the one that is made of it, and the target last', () => {
    expect([parts.length, arrows.length]).toEqual([6, 5]);
    for (const { from, to } of arrows) expect(at.get(from)![axis]).toBeLessThan(at.get(to)![axis]);
    const last = Math.max(...parts.map((part) => part[axis]));
    expect(at.get(question.key)![axis]).toBe(last);
    expect(arrows.filter(({ label }) => label === 'a relation')).toHaveLength(2);
    expect(arrows.filter(({ negative }) => negative)).toHaveLength(1);
  });

  it('keeps parts apart and within its bounds', () => {
    const { width: w, height: h } = options.size;
    for (const [i, a] of parts.entries()) {
      expect(a.left >= 0 && a.top >= 0 && a.left + w <= width && a.top + h <= height).toBe(true);
      for (const b of parts.slice(i + 1))
        expect(Math.abs(a.left - b.left) >= w || Math.abs(a.top - b.top) >= h).toBe(true);
    }
  });
});

it('a text is cut to a width with an ellipsis, and left alone where it fits', () => {
  const measure = (text: string): number => text.length;
  expect(fitText('Heard Island', 8, measure)).toBe('Heard I…');
  expect(fitText('Heard', 5, measure)).toBe('Heard');
});
