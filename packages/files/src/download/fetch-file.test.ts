import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchFile } from '../index.ts';

const url = 'https://example.org/file.bin';
let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-fetch-'));
  path = join(folder, 'file.bin');
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await rm(folder, { recursive: true });
});

/** A server that gives these answers one after the other; from where it was asked to go on each time. */
function answering(...answers: (() => Response)[]): (string | null)[] {
  const asked: (string | null)[] = [];
  vi.stubGlobal('fetch', async (_: string, { headers }: { readonly headers: Record<string, string> }) => {
    asked.push(new Headers(headers).get('range'));
    return answers[asked.length - 1]!();
  });
  return asked;
}

/** What another run left: bytes of a version of a file. */
async function leave(bytes: string, from = url): Promise<void> {
  await writeFile(`${path}.part`, bytes);
  await writeFile(`${path}.part.json`, JSON.stringify({ url: from, validator: '"v1"' }));
}

const whole = (headers: Record<string, string> = {}) => {
  return (): Response => new Response('0123456789', { headers: { 'content-length': '10', ...headers } });
};
const part = (text: string, range: string) => (): Response =>
  new Response(text, { status: 206, headers: { 'content-range': `bytes ${range}`, etag: '"v1"' } });
const fetched = async (retries = 1): Promise<string> => {
  await fetchFile({ url, path, retries, retryDelay: 0 });
  expect(await readdir(folder)).toEqual(['file.bin']);
  return readFile(path, 'utf8');
};

describe('a file that was fetched in part', () => {
  it('goes on behind its last byte', async () => {
    await leave('0123');
    const asked = answering(part('456789', '4-9/10'));
    expect(await fetched()).toBe('0123456789');
    expect(asked).toEqual(['bytes=4-']);
  });

  it('takes no bytes of another place than it asked for', async () => {
    await leave('0123');
    answering(part('23456789', '2-9/10'));
    await expect(fetched(0)).rejects.toMatchObject({ code: 'runtime' });
    expect((await readdir(folder)).sort()).toEqual(['file.bin.part', 'file.bin.part.json']);
    expect(await readFile(`${path}.part`, 'utf8')).toBe('0123');
  });

  it('is whole where the file has as many bytes, and begun again where that has fewer', async () => {
    const noMore = () => new Response('', { status: 416, headers: { 'content-range': 'bytes */10' } });
    await leave('0123456789');
    answering(noMore);
    expect(await fetched()).toBe('0123456789');
    await leave('0123456789 of another file');
    const asked = answering(noMore, whole());
    expect(await fetched()).toBe('0123456789');
    expect(asked).toEqual(['bytes=26-', null]);
  });

  it('is begun again where it came from another address', async () => {
    await leave('abcd', 'https://example.org/another.bin');
    const asked = answering(whole());
    expect(await fetched()).toBe('0123456789');
    expect(asked).toEqual([null]);
  });

  it('is gone on with where it ends too early by its length, and has a name for its version', async () => {
    const cut = (etag: string) => () => new Response('0123', { headers: { 'content-length': '10', etag } });
    const strong = answering(cut('"v1"'), part('456789', '4-9/10'));
    expect(await fetched()).toBe('0123456789');
    expect(strong).toEqual([null, 'bytes=4-']);
    // What a weak tag names may be other bytes the next time.
    const weak = answering(cut('W/"v1"'), whole());
    expect(await fetched()).toBe('0123456789');
    expect(weak).toEqual([null, null]);
  });
});
