import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commas, type Delimiter, forEachRecord, tabs } from './delimited.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-delimited-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function records(text: string, delimiter: Delimiter): Promise<string[][]> {
  const path = join(folder, 'file.csv');
  await writeFile(path, text);
  const found: string[][] = [];
  await forEachRecord(path, delimiter, (record) => {
    found.push(Array.from({ length: record.count }, (_, field) => record.text(field)));
  });
  return found;
}

describe('records between commas', () => {
  it('come back as they were quoted', async () => {
    const field = fc.string({
      unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\r\n', ' ', 'é', '\t'),
      maxLength: 6,
    });
    const table = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom('\n', '\r\n'), fc.boolean(), async (rows, end, last) => {
        const text = rows.map((row) => row.map(quoted).join(',')).join(end);
        expect(await records(text + (last ? end : ''), commas)).toEqual(rows);
      }),
      { numRuns: 200 },
    );
  });

  it('may run over the blocks in which a file is read', async () => {
    const long = 'line\n"quoted"\n'.repeat(200_000);
    const text = `a,"${long.replaceAll('"', '""')}",b\nc,d,e\n`;
    expect(await records(text, commas)).toEqual([
      ['a', long, 'b'],
      ['c', 'd', 'e'],
    ]);
  });

  it('keep quotes inside a field that does not begin with one', async () => {
    expect(await records('a"b,c\n', commas)).toEqual([['a"b', 'c']]);
  });

  it.each([
    ['a,b,c\nd,"e,f\n', 'file.csv:2', 'quote: expected its end'],
    ['a,"b\n\n"x,c\n', 'file.csv:3', 'expected a delimiter'],
  ])('are refused where a quote is wrong: %j', async (text, place, message) => {
    await expect(records(text, commas)).rejects.toMatchObject({
      code: 'data',
      path: join(folder, place),
      message: expect.stringContaining(message),
    });
  });
});

describe('carriage returns alone', () => {
  it.each<[string, string, Delimiter, number]>([
    ['as line ends', 'a\tr\tb\rc\tr\td\r', tabs, 1],
    ['inside a line', 'a\tr\tb\na\tr\rx\tb\n', tabs, 2],
    ['before a line end', 'a\tr\tb\r\n\nb\tr\ta\r\r\n', tabs, 3],
    ['after comments', 'a\tr\tb\n# one\rc\tr\td\n', { ...tabs, comment: '#' }, 2],
    ['in fields without quotes', 'a,"r\r",b\nc,r,d\re,r,f\n', commas, 2],
    ['after quotes', '"a","r","b"\r"c","r","d"\r', commas, 1],
  ])('%s are refused', async (_, text, delimiter, line) => {
    await expect(records(text, delimiter)).rejects.toMatchObject({
      code: 'data',
      path: `${join(folder, 'file.csv')}:${line}`,
      message: 'line ends: expected LF or CRLF, got CR',
      hint: expect.stringContaining("tr '\\r' '\\n'"),
    });
  });

  it('are part of a name between quotes, wherever they stand', async () => {
    expect(await records('"a\r","\rb",c\r\n"\r\r",d,"e\r"\r', commas)).toEqual([
      ['a\r', '\rb', 'c'],
      ['\r\r', 'd', 'e\r'],
    ]);
  });
});

describe('records between tabs', () => {
  it('know no quotes', async () => {
    expect(await records('"a\tb"\tc\r\n\n"\t\t', tabs)).toEqual([
      ['"a', 'b"', 'c'],
      ['"', '', ''],
    ]);
  });
});
