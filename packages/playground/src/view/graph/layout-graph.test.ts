import { asEntityId, asRelationId } from '@fuzzqe/core';
import { and, entity, not, project } from '@fuzzqe/core/query';
import { describe, expect, it } from 'vitest';
import { inverseMark } from '../../question/inverse-mark.ts';
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

describe('a label that is long', () => {
  const long = 'a relation with a name of very many words'.repeat(3);
  const labelOf = (part: { kind: string }): string => (part.kind === 'hop' ? long + inverseMark : '');
  const chain = fromQuery(project(asRelationId(1), entity(asEntityId(1))));

  it.each(['right', 'down'] as const)(
    'is cut where the graph points %s, in full beside it, and still of an inverse',
    (direction) => {
      const { arrows, width } = layoutGraph(question, { ...options, direction, labelOf });
      const labels = arrows.filter(({ label }) => label !== '');
      expect(labels).toHaveLength(2);
      for (const { label, fullLabel, labelX } of labels) {
        expect(fullLabel).toBe(long + inverseMark);
        expect(label).toMatch(/^a .*…\u200e \(rev\.\)$/);
        const half = direction === 'right' ? options.measure(label) / 2 : 0;
        expect(labelX - half).toBeGreaterThan(0);
        expect(labelX + (half || options.measure(label))).toBeLessThanOrEqual(width);
      }
    },
  );

  it('has the room that parts leave where the graph points to the right', () => {
    const of = (room: number) => layoutGraph(question, { ...options, direction: 'right', room, labelOf });
    const widths = [0, 1060, 5000].map((room) => {
      const { arrows, width } = of(room);
      if (room > 0) expect(width).toBeLessThanOrEqual(room);
      return Math.max(...arrows.map(({ label }) => options.measure(label)));
    });
    expect(widths[0]).toBeLessThan(widths[1]!);
    expect(widths[1]).toBeLessThan(widths[2]!);
    expect(widths[2]).toBeLessThan(200);
  });

  it('has the room that there is where the graph points down, and no more than it needs', () => {
    const of = (label: string, room: number) =>
      layoutGraph(chain, { ...options, direction: 'down', room, labelOf: () => label });
    const [narrow, wide] = [of(long, 0), of(long, 340)];
    expect(narrow.width).toBe(options.size.width + 20);
    expect(wide.width).toBeLessThanOrEqual(340);
    expect(wide.arrows[0]!.label.length).toBeGreaterThan(narrow.arrows[0]!.label.length + 15);
    const some = 'a name of some words more';
    expect(of(some, 340).arrows[0]!.label).toBe(some);
    expect(of(some, 340).width).toBeLessThan(wide.width);
  });
});

it('a text is cut to a width with an ellipsis, and left alone where it fits', () => {
  const measure = (text: string): number => text.length;
  expect(fitText('Heard Island', 8, measure)).toBe('Heard I…');
  expect(fitText('Heard', 5, measure)).toBe('Heard');
  expect(fitText('no👪half', 4, measure)).toBe('no…');
});
