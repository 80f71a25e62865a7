import { describe, expect, it } from 'vitest';
import type { DelimitedRecord } from '../files/delimited.ts';
import { createNameTable, numericIds } from './triple-names.ts';
import { createTripleSink, nothingLeftOut } from './triple-sink.ts';

const count = 3000;
const names = numericIds({ entityCount: count, relationCount: 4 });

/** A record as readers give it: its bytes are used again for the next. */
const bytes = Buffer.alloc(64);
function record(line: number, ...fields: readonly string[]): DelimitedRecord {
  const starts = fields.map((_, i) => fields.slice(0, i).join('\t').length + (i === 0 ? 0 : 1));
  bytes.write(fields.join('\t'));
  const end = (field: number): number => starts[field]! + fields[field]!.length;
  return {
    bytes,
    line,
    count: fields.length,
    start: (field) => starts[field]!,
    end,
    text: (field) => bytes.toString('utf8', starts[field]!, end(field)),
  };
}

describe('a sink for triples', () => {
  it('numbers thousands of facts in the order of their lines', () => {
    const table = createNameTable();
    const sink = createTripleSink('facts.tsv', table, 'refuse');
    for (let i = 0; i < count; i++) sink.add(record(i + 1, `e${i}`, `r${i % 3}`, `e${i + 1}`), 0, 1, 2);
    const { triples, facts } = sink.finish(nothingLeftOut);
    expect(facts).toBe(count);
    expect([...triples]).toEqual(Array.from({ length: count }, (_, i) => [i, 2 * (i % 3), i + 1]).flat());
    expect(table.entityKeys().at(-1)).toBe(`e${count}`);
  });

  it.each([
    ['an entity', 700, '-', '1', 'entity', '-'],
    ['a relation', 1500, '5', 'none', 'relation', 'none'],
  ])('names the first line with %s that is not known', (_, line, head, relation, kind, text) => {
    const add = (unknown: 'refuse' | 'drop') => {
      const sink = createTripleSink('facts.tsv', names, unknown);
      for (let i = 1; i <= count; i++) {
        const isUnknown = i === line || i > line + 1;
        const fields = isUnknown
          ? [head, relation, '1']
          : i === line + 1
            ? ['2', 'other', '?']
            : ['3', '2', '4'];
        sink.add(record(i, ...fields), 0, 1, 2);
      }
      return sink.finish(nothingLeftOut);
    };
    expect(() => add('refuse')).toThrow(
      expect.objectContaining({
        path: `facts.tsv:${line}`,
        message: expect.stringContaining(
          `${kind}: expected one that is known, got "${text}" (the first of ${count - line + 1} lines`,
        ),
      }),
    );
    const { triples, dropped } = add('drop');
    expect([triples.length / 3, dropped]).toEqual([line - 1, count - line + 1]);
  });
});
