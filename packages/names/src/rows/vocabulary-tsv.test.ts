import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readEntitiesTsv,
  readPrefixesTsv,
  readRelationsTsv,
  writeEntitiesTsv,
  writePrefixesTsv,
  writeRelationsTsv,
} from './vocabulary-tsv.ts';

describe('vocabulary files', () => {
  it('come back as they were written, whatever the names contain', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...'\\\t\n\rtnr ') }),
    );
    const entry = fc.record(
      { key: text, label: text, description: text },
      { requiredKeys: ['key', 'label'] },
    );
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const plain = entries.map((one) => ({ ...one }));
        expect(readEntitiesTsv(writeEntitiesTsv(entries))).toEqual(plain);
        expect(readRelationsTsv(writeRelationsTsv(entries))).toEqual(plain);
      }),
    );
  });

  it('number entities by one and forward relations by two', () => {
    const names = [
      { key: 'a', label: 'A' },
      { key: 'b', label: 'B', description: 'x\ty' },
    ];
    expect(writeEntitiesTsv(names)).toBe('0\ta\tA\n1\tb\tB\tx\\ty\n');
    expect(writeRelationsTsv(names)).toBe('0\ta\tA\n2\tb\tB\tx\\ty\n');
  });

  it('may end lines as Windows does', () => {
    expect(readEntitiesTsv('0\ta\tA\r\n1\tb\tB\r\n')).toEqual([
      { key: 'a', label: 'A' },
      { key: 'b', label: 'B' },
    ]);
  });

  it.each([
    ['0\ta\n', 'expected 3 or 4 fields between tabs, got 2', 'f:1'],
    ['0\ta\tA\n\n', 'got 1', 'f:2'],
    ['0\ta\tA\td\te\n', 'got 5', 'f:1'],
    ['0\ta\tA\n2\tb\tB\n', 'id: expected 1, got "2"', 'f:2'],
    ['0\ta\\x\tA\n', 'got "\\\\x"', 'f:1'],
    ['0\ta\\\tA\n', 'got "\\\\"', 'f:1'],
  ])('say the line of what is wrong: %j', (text, message, path) => {
    expect(() => readEntitiesTsv(text, 'f')).toThrow(
      expect.objectContaining({ code: 'data', path, message: expect.stringContaining(message) }),
    );
  });
});

describe('prefix files', () => {
  it('come back as they were written, in their order', () => {
    const prefixes = new Map([
      ['ex', 'http://example.org/'],
      ['', 'http://example.org/a\tb#'],
      ['a', 'urn:x:'],
    ]);
    const text = writePrefixesTsv(prefixes);
    expect(text).toBe('ex:\thttp://example.org/\n:\thttp://example.org/a\\tb#\na:\turn:x:\n');
    expect([...readPrefixesTsv(text)]).toEqual([...prefixes]);
  });

  it.each(['ex\thttp://a/\n', 'ex:\t\n', 'ex:\n', 'a:\tb\tc\n'])('refuse %j by its line', (line) => {
    expect(() => readPrefixesTsv(`ok:\thttp://a/\n${line}`, 'f')).toThrow(
      expect.objectContaining({ code: 'data', path: 'f:2' }),
    );
  });

  it('refuse a prefix for the second time', () => {
    expect(() => readPrefixesTsv('a:\tx\na:\ty\n')).toThrow('expected a new one');
  });
});
