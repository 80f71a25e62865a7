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
      unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', 'é', '\t'),
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

describe('records between tabs', () => {
  it('know no quotes', async () => {
    expect(await records('"a\tb"\tc\r\n\n"\t\t', tabs)).toEqual([
      ['"a', 'b"', 'c'],
      ['"', '', ''],
    ]);
  });
});
