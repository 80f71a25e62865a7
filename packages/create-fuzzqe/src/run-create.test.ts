import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCreate } from './run-create.ts';
import { templateNames } from './templates.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-run-create-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function create(...args: readonly string[]) {
  const [out, notes]: [string[], string[]] = [[], []];
  const code = await runCreate(args, { out: (line) => out.push(line), note: (line) => notes.push(line) });
  return { code, out: out.join('\n'), notes: notes.join('\n') };
}

describe('npm create fuzzqe', () => {
  it('makes a server without a template, and says how to go on', async () => {
    const path = join(folder, 'plain');
    expect(await create(path)).toEqual({
      code: 0,
      out: '',
      notes: `Wrote ${path}. Then: cd ${path}, npm install, npm run model, npm run ask, npm run serve`,
    });
    expect(await readdir(join(path, 'src'))).toEqual(['ask.ts']);
  });

  it('says how to go on in a folder whose name a shell would take apart', async () => {
    const path = join(folder, `it's "my" $HOME`);
    const { notes } = await create(path);
    expect(notes).toContain(`. Then: cd '${folder}/it'\\''s "my" $HOME', npm install`);
    const here = process.cwd();
    process.chdir(folder);
    try {
      expect((await create('--', '-dash')).notes).toContain('Then: cd ./-dash, npm install');
    } finally {
      process.chdir(here);
    }
  });

  it.each(templateNames)('makes the template %s', async (template) => {
    const path = join(folder, template);
    expect(await create(path, '--template', template)).toMatchObject({ code: 0 });
    expect(await readFile(join(path, 'package.json'), 'utf8')).toContain(`"name": "${template}"`);
  });

  it('shows its help and its version', async () => {
    const { code, out, notes } = await create('--help');
    expect({ code, notes }).toEqual({ code: 0, notes: '' });
    for (const name of [...templateNames, '--data', 'Exit codes']) expect(out).toContain(name);
    expect(await create('--version')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });

  it.each([
    [[], 2, 'expected one folder, got 0'],
    [['a', 'b'], 2, 'expected one folder, got 2'],
    [['a', '--template', 'toString'], 2, 'template: expected serve, worker, page, got toString'],
    [['a', '--colour'], 2, "Unknown option '--colour'"],
    [['a', '--data'], 2, 'argument missing'],
    [['.'], 2, 'the current one'],
    [['a', '--data', '/gone.tsv'], 4, 'file not found'],
    [['x'.repeat(300)], 9, 'cannot read the folder'],
  ] as const)('%j ends with exit code %i and writes nothing', async (args, code, message) => {
    const ended = await create(...args.map((each) => (each === 'a' ? join(folder, 'refused') : each)));
    expect(ended).toEqual({ code, out: '', notes: expect.stringContaining(message) });
    expect(await readdir(folder)).not.toContain('refused');
  });
});
