import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { promisesOf, unheld } from './promises.ts';

const docs = new URL('../../docs/', import.meta.url);
const document = readFileSync(new URL('reliability.md', docs), 'utf8');
const promises = promisesOf(document);

function read(file: string): string | undefined {
  const path = fileURLToPath(new URL(file, docs));
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

it('every promise names a test that is there', () => {
  expect(promises.length).toBeGreaterThan(10);
  expect(unheld(promises, read)).toEqual([]);
});

it('a test that is gone, renamed or not named is found', () => {
  const [{ file, title }] = promises as [(typeof promises)[number]];
  const rows = [
    `| held | [a](${file}): "${title}" |`,
    `| renamed | [a](${file}): "${title.slice(1)}" |`,
    `| gone | [a](${file.replace('.test', '.gone')}): "${title}" |`,
    '| not named | by good will |',
  ];
  const broken = unheld(promisesOf(rows.join('\n')), read);
  expect(broken).toEqual(['renamed', 'gone', '| not named | by good will |']);
});
