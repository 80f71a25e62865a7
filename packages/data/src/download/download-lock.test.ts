import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDownloadLock } from './download-lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fuzzqe-download-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];

describe('a lock of downloads', () => {
  it('keeps what several downloads add at once', async () => {
    const path = join(folder, 'downloads.lock.json');
    const urls = ['https://h/1', 'https://h/2', 'https://h/3'];
    const locks = await Promise.all(urls.map(() => openDownloadLock(path)));
    await Promise.all(urls.map((url, i) => locks[i]!.record(url, first)));
    const lock = await openDownloadLock(path);
    expect(urls.map((url) => lock.has(url))).toEqual([true, true, true]);
    expect(readdirSync(folder)).toEqual(['downloads.lock.json']);
  });

  it('takes one of two archives that were fetched from one address at once', async () => {
    const path = join(folder, 'downloads.lock.json');
    const [one, other] = await Promise.all([openDownloadLock(path), openDownloadLock(path)]);
    await one.record('https://h/1', first);
    await expect(other.record('https://h/1', second)).rejects.toThrow(
      /expected the SHA-256 a+, as the first/,
    );
    const lock = await openDownloadLock(path);
    expect(() => lock.expect('https://h/1', second)).toThrow();
    lock.expect('https://h/1', first);
  });
});
