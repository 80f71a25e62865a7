import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFuzzqe as fuzzqe } from '../testing/run-fuzzqe.ts';
import { followLinks } from './follow-links.ts';

// Windows leaves `..` out before it follows a link, as node:path does.
describe.skipIf(process.platform === 'win32')('a path through a link', () => {
  // Not by `join`, which is what is in question.
  let root: string;
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'fuzzqe-links-')));
    await mkdir(`${root}/far/deep/inside`, { recursive: true });
    await mkdir(`${root}/near/plain`, { recursive: true });
    await symlink(`${root}/far/deep/inside`, `${root}/near/link`);
    await symlink('link', `${root}/near/again`);
    await writeFile(`${root}/near/file`, '');
  });
  afterAll(() => rm(root, { recursive: true }));

  async function told(...args: readonly string[]): Promise<unknown> {
    const found: unknown[] = [];
    const program = new Command().hook('preAction', (_, command) => followLinks(command));
    program
      .command('go <first> [others...]')
      .option('--out <folder>')
      .option('--seen <n>', '', Number)
      .action((first: string, others: string[], flags: object) => void found.push(first, others, flags));
    await program.parseAsync(['go', ...args], { from: 'user' });
    return found;
  }

  it.each([
    ['link/../x', 'far/deep/x'],
    ['link/..', 'far/deep'],
    ['link/../', 'far/deep/'],
    ['again/../x', 'far/deep/x'],
    ['./link//../x/y.html', 'far/deep/x/y.html'],
    ['link/../../x', 'far/x'],
    ['link/../inside/../x', 'far/deep/x'],
    ['link/../new/../x', 'far/deep/x'],
  ])('%s is what the system takes it for: %s', async (given, place) => {
    const path = `${root}/near/${given}`;
    const expected = `${root}/${place}`;
    expect(await told(path, path, 'other', '--out', path)).toEqual([
      expected,
      [expected, 'other'],
      { out: expected },
    ]);
    expect(await told(`${relative('.', root)}/near/${given}`)).toEqual([expected, [], {}]);
  });

  it.each(['link', 'link/x', 'plain/../x', '../near/x', 'new/../x', 'file/../x', '..', 'link/new/../x'])(
    '%s stays as it is, as the system takes it so, or has nothing to follow',
    async (given) => {
      const path = `${root}/near/${given}`;
      expect(await told(path, '--out', path, '--seen', '3')).toEqual([path, [], { out: path, seen: 3 }]);
    },
  );

  it('leaves texts alone that are no paths', async () => {
    for (const text of ['and(project(r, "a/../b"), e)', 'https://host/a/../b', '../x', '..'])
      expect(await told(text)).toEqual([text, [], {}]);
  });

  it('is where commands write, and where they read what they wrote', async () => {
    const out = `${root}/near/link/../data`;
    expect(await fuzzqe('data', 'countries', '--out', out)).toMatchObject({ code: 0 });
    expect(await readdir(`${root}/far/deep`)).toEqual(['data', 'inside']);
    expect(await readdir(`${root}/near`)).toEqual(['again', 'file', 'link', 'plain']);
    expect(await fuzzqe('data', 'show', out)).toMatchObject({ code: 0 });
  });
});
