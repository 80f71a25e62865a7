import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { hashFile, readLimits, readWholeFile } from '@fuzzqe/files';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { importDataset, readQueries } from '../index.ts';
import { commas, forEachRecord } from './delimited.ts';
import { forEachLine } from './lines.ts';
import { readBytes } from './read-bytes.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-hostile-'));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
});

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}
const lines = (path: string): Promise<void> => forEachLine(path, () => {});
const mebibyte = 2 ** 20;

describe('a line without end', () => {
  it('is refused with its number before it fills the memory, and read where the limit is raised', async () => {
    vi.stubEnv('FUZZQE_MAX_LINE_MIB', '2');
    const path = await file('long.tsv', `a\tr\tb\n\n${'x'.repeat(5 * mebibyte)}\tr\tb\n`);
    await expect(lines(path)).rejects.toMatchObject({
      code: 'data',
      path: `${path}:3`,
      message: 'line: expected at most 2097152 bytes, got more',
      hint: expect.stringContaining('FUZZQE_MAX_LINE_MIB'),
    });
    await expect(importDataset({ name: 'x', train: path })).rejects.toMatchObject({ path: `${path}:3` });
    vi.stubEnv('FUZZQE_MAX_LINE_MIB', '6');
    await expect(lines(path)).resolves.toBeUndefined();
  });

  it('takes no more memory than a few times the limit, however long the file is', async () => {
    const path = join(folder, 'sparse.tsv');
    await writeFile(path, '');
    await truncate(path, 2 ** 34);
    const before = process.memoryUsage().rss;
    await expect(lines(path)).rejects.toMatchObject({ code: 'data', path: `${path}:1` });
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * mebibyte);
  });

  it('of RDF is refused likewise', async () => {
    vi.stubEnv('FUZZQE_MAX_LINE_MIB', '2');
    const literal = `<http://a> <http://b> """${'line\n'.repeat(mebibyte)}""" .\n`;
    const train = await file('long.ttl', literal);
    await expect(importDataset({ name: 'x', train })).rejects.toMatchObject({
      code: 'data',
      path: expect.stringContaining(`${train}:`),
      hint: expect.stringContaining('FUZZQE_MAX_LINE_MIB'),
    });
  });

  it('of queries is refused likewise', async () => {
    vi.stubEnv('FUZZQE_MAX_LINE_MIB', '1');
    const path = await file('long.jsonl', `{"type":"1p","query":[${'1,'.repeat(2 * mebibyte)}`);
    const bounds = { entityCount: 2, relationCount: 2 };
    await expect(readQueries(path, { bounds })).rejects.toMatchObject({ code: 'data', path: `${path}:1` });
  });
});

describe('a table of 15 MB in one quoted field', () => {
  const records = async (path: string): Promise<number> => {
    let bytes = 0;
    await forEachRecord(path, commas, (record) => {
      bytes += record.end(0) - record.start(0);
    });
    return bytes;
  };
  // Each took minutes: the time grew with the square of the length.
  it.each([
    ['doubled quotes', '""', 1],
    ['doubled quotes with a line feed at the end', '""', 1],
    ['line feeds', '\n', 1],
    ['doubled quotes and line feeds', '""\n', 2],
  ])(
    'is read in seconds where it holds %s',
    async (name, part, bytes) => {
      const count = Math.floor((15 * mebibyte) / part.length);
      const path = await file(
        'quotes.csv',
        `"${part.repeat(count)}${name.endsWith('end') ? '\n' : ''}",b,c\n`,
      );
      const start = process.cpuUsage();
      expect(await records(path)).toBe(count * bytes + (name.endsWith('end') ? 1 : 0));
      // Of the processor, in microseconds: a busy machine is no failure.
      expect(process.cpuUsage(start).user).toBeLessThan(20_000_000);
    },
    60_000,
  );

  it('is refused where the quotes are never closed', async () => {
    const path = await file('open.csv', `a,b,"${'x\n'.repeat(10 * mebibyte)}`);
    await expect(records(path)).rejects.toMatchObject({
      path: `${path}:1`,
      message: 'quote: expected its end, got none',
      hint: expect.stringContaining('FUZZQE_MAX_LINE_MIB'),
    });
  });

  it('is refused where it holds columns without end', async () => {
    const path = await file('columns.csv', `${','.repeat(mebibyte)}\n`);
    await expect(records(path)).rejects.toThrow('columns: expected at most 10000');
  });
});

describe('a compressed file', () => {
  it('is refused where it becomes a hundred times larger than it is, and read where the limit is raised', async () => {
    const path = await file('bomb.tsv.gz', gzipSync(`${'a'.repeat(1023)}\n`.repeat(80 * 1024)));
    await expect(lines(path)).rejects.toMatchObject({
      code: 'data',
      path,
      message: expect.stringMatching(/^gzip: expected at most 67108864 bytes of a file of \d+, got more$/),
      hint: expect.stringContaining('FUZZQE_MAX_EXPANSION'),
    });
    vi.stubEnv('FUZZQE_MAX_EXPANSION', '1000');
    await expect(lines(path)).resolves.toBeUndefined();
  }, 60_000);

  it('may become 64 MiB however small it is', async () => {
    await expect(
      lines(await file('small.tsv.gz', gzipSync(`${'a'.repeat(1023)}\n`.repeat(60 * 1024)))),
    ).resolves.toBeUndefined();
  });
});

describe('what follows the last member of a compressed file', () => {
  const member = gzipSync('a\tr\tb\n');
  const textOf = async (path: string): Promise<string> => {
    const found: string[] = [];
    await forEachLine(path, (line) => found.push(line));
    return found.join('\n');
  };

  it.each([1, 100, 3 * mebibyte])('is passed over where it is %d zeros', async (count) => {
    const content = Buffer.concat([member, gzipSync('b\tr\tc\n'), Buffer.alloc(count)]);
    let read = 0;
    const path = await file('padded.tsv.gz', content);
    expect(await textOf(path)).toBe('a\tr\tb\nb\tr\tc');
    await readBytes(
      path,
      () => {},
      (bytes) => {
        read += bytes;
      },
    );
    expect(read).toBe(content.length);
  });

  it('is refused where it is more than zeros', async () => {
    const path = await file('more.tsv.gz', Buffer.concat([member, Buffer.alloc(3), Buffer.from('x')]));
    await expect(lines(path)).rejects.toMatchObject({
      code: 'data',
      path,
      message: 'gzip: expected nothing after its last member, got 4 bytes',
      hint: expect.stringContaining(`head -c ${member.length} `),
    });
    await expect(
      lines(await file('junk.tsv.gz', Buffer.concat([member, Buffer.from('junk')]))),
    ).rejects.toThrow('gzip: expected a whole gzip file');
  });

  it('is told from a file that is not compressed at all', async () => {
    await expect(lines(await file('plain.tsv.gz', 'a\tr\tb\n'))).rejects.toMatchObject({
      message: 'gzip: expected a gzip file, got one that does not begin as such',
      hint: expect.stringContaining('.gz off its name'),
    });
  });
});

describe('a file that is no text in UTF-8', () => {
  const text = 'a\tr\tb\nb\tr\tc\n';
  const utf16 = Buffer.from(text, 'utf16le');
  it.each<[string, string, Uint8Array, string, RegExp]>([
    ['gzip', 'z.tsv', gzipSync(text), 'gzip', /name end in \.gz/],
    ['gzip in gzip', 'z.tsv.gz', gzipSync(gzipSync(text)), 'gzip', /compressed twice/],
    ['UTF-16', 'le.tsv', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), 'UTF-16', /-f utf-16 /],
    [
      'big-endian UTF-16',
      'be.tsv',
      Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(utf16).swap16()]),
      'UTF-16',
      /-f utf-16 /,
    ],
    ['UTF-16 without a mark', 'n.tsv', utf16, 'UTF-16', /-f utf-16le /],
    ['big-endian UTF-16 without a mark', 'm.tsv', Buffer.from(utf16).swap16(), 'UTF-16', /-f utf-16be /],
    ['zip', 'a.tsv', Buffer.from('PK\x03\x04\xff\n', 'latin1'), 'a zip archive', /end in \.zip/],
  ])('is refused as %s', async (_, name, content, got, hint) => {
    const path = await file(name, content);
    await expect(lines(path)).rejects.toMatchObject({
      ...{ code: 'data', path, message: `text: expected UTF-8, got ${got}` },
      hint: expect.stringMatching(hint),
    });
  });

  it('is refused for a NUL, with its line, which would stand unseen in a name', async () => {
    const path = await file('nul.tsv', 'a\tr\tb\nb\tr\tc\nab\0\tr\tc\n');
    await expect(lines(path)).rejects.toMatchObject({
      ...{ code: 'data', path: `${path}:3`, message: 'text: expected UTF-8, got a NUL byte' },
      hint: expect.stringContaining("tr -d '\\000'"),
    });
    await expect(importDataset({ name: 'x', train: path })).rejects.toMatchObject({ path: `${path}:3` });
  });
});

describe.runIf(process.platform === 'linux')('what is no regular file', () => {
  const refusal = (got: string): object => ({
    code: 'data',
    message: `file: expected a file, got ${got}`,
  });

  it('is refused at once: a pipe, a device, a socket, a folder', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const socket = join(folder, 'socket');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    try {
      for (const [path, got] of [
        [pipe, 'a pipe'],
        [socket, 'a socket'],
        ['/dev/zero', 'a device'],
        ['/dev/null', 'a device'],
        [folder, 'a folder'],
      ] as const)
        for (const read of [lines, readWholeFile, hashFile])
          await expect(read(path), path).rejects.toMatchObject({ ...refusal(got), path });
    } finally {
      server.close();
    }
  });

  it('is refused behind a link, while a link to a file is followed', async () => {
    const links = { zero: '/dev/zero', file: await file('target.txt', 'text'), round: join(folder, 'round') };
    for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
    await expect(readWholeFile(join(folder, 'zero'))).rejects.toMatchObject(refusal('a device'));
    await expect(readWholeFile(join(folder, 'round'))).rejects.toThrow('links that lead in a circle');
    expect((await readWholeFile(join(folder, 'file'))).toString()).toBe('text');
  });

  it('is told from files of the system, which say that they are empty', async () => {
    expect((await readWholeFile('/proc/self/status')).toString()).toContain('VmRSS');
  });
});

describe('a file that is read whole', () => {
  it('has its size looked at before it is read', async () => {
    const path = join(folder, 'huge.pkl');
    await writeFile(path, '');
    await truncate(path, 2 ** 42);
    await expect(readWholeFile(path)).rejects.toMatchObject({
      code: 'data',
      message: 'file: expected at most 1073741824 bytes, got 4398046511104',
      hint: expect.stringContaining('FUZZQE_MAX_FILE_MIB'),
    });
  });
});

it('limits are whole numbers in their ranges', () => {
  expect(readLimits({})).toEqual({ line: 16 * mebibyte, file: 1024 * mebibyte, expansion: 100 });
  expect(readLimits({ FUZZQE_MAX_LINE_MIB: '100' }).line).toBe(100 * mebibyte);
  for (const text of ['', '0', '-1', '1.5', 'ten', '1e3', '501'])
    expect(() => readLimits({ FUZZQE_MAX_LINE_MIB: text }), text).toThrow('FUZZQE_MAX_LINE_MIB');
});
