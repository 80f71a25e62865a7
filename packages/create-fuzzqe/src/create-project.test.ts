import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject } from './create-project.ts';
import { templateNames, templates } from './templates.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-create-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const scripts = async (project: string): Promise<Record<string, string>> =>
  JSON.parse(await readFile(join(project, 'package.json'), 'utf8')).scripts;

describe.each(templateNames)('the template %s', (template) => {
  it('makes a project of the folder name with a model of the Countries graph', async () => {
    const target = join(folder, `My ${template}`);
    const next = await createProject({ folder: target, template });
    const { copied, named } = templates[template];
    const expected = template === 'serve' ? [] : ['npm run bundle'];
    expect((await readdir(target)).toSorted()).toEqual(
      ['.gitignore', '.npmrc', ...copied, ...named].toSorted(),
    );
    expect(await readFile(join(target, 'package.json'), 'utf8')).toContain(`"name": "my-${template}"`);
    // Its end is where npm puts the options that are given to it.
    expect((await scripts(target))['model']).toMatch(/ && fuzzqe run data\/countries --out runs\/graph$/);
    expect(next.slice(1)).toEqual(['npm install', 'npm run model', ...expected, ...templates[template].next]);
  });

  it('copies a file of facts and a bundle, and runs the one that it copied', async () => {
    const data = join(folder, 'mine and yours.tsv.gz');
    await writeFile(data, 'not read here');
    await mkdir(join(folder, 'bundle'), { recursive: true });
    await writeFile(join(folder, 'bundle', 'manifest.json'), '{}');
    const target = join(folder, `${template}-data`);
    const next = await createProject({ folder: target, template, data, bundle: join(folder, 'bundle') });
    expect(await readFile(join(target, 'data/graph.tsv.gz'), 'utf8')).toBe('not read here');
    expect((await scripts(target))['model']).toBe('fuzzqe run data/graph.tsv.gz --out runs/graph');
    expect(await readFile(join(target, templates[template].bundle, 'manifest.json'), 'utf8')).toBe('{}');
    expect(next.slice(1)).toEqual(['npm install', ...templates[template].next]);
  });

  it('has nothing that would make another model in the place of a bundle', async () => {
    const bundle = join(folder, `own ${template}`);
    await mkdir(bundle);
    await writeFile(join(bundle, 'manifest.json'), '{}');
    const [kept, made] = [join(folder, `${template}-kept`), join(folder, `${template}-made`)];
    await createProject({ folder: kept, template, bundle });
    await createProject({ folder: made, template });
    const read = (project: string) => readFile(join(project, 'README.md'), 'utf8');
    const { model, bundle: exported, ...others } = await scripts(made);
    expect(model).toContain('fuzzqe run');
    if (template !== 'serve') expect(exported).toMatch(/^fuzzqe export runs\/graph\/run .*bundle$/);
    expect(await scripts(kept)).toEqual(others);
    expect(await read(made)).toMatch(/npm run model[\s\S]*`model`/);
    expect(await read(kept)).not.toMatch(/npm run (?:model|bundle)|`model`|countries, under/);
    const lines = (text: string) => text.split('\n').length;
    expect(lines(await read(made)) - lines(await read(kept))).toBeLessThan(5);
  });

  it('has npm run no install script, of which none is needed', async () => {
    const target = join(folder, `${template}-scripts`);
    await createProject({ folder: target, template });
    const asked = spawnSync('npm', ['config', 'get', 'ignore-scripts'], {
      cwd: target,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect({ out: asked.stdout.trim(), notes: asked.stderr }).toEqual({ out: 'true', notes: '' });
  });

  it('asks for the packages of this version, each exactly', async () => {
    const target = join(folder, `${template}-versions`);
    await createProject({ folder: target, template });
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    const { dependencies, devDependencies } = JSON.parse(
      await readFile(join(target, 'package.json'), 'utf8'),
    );
    const asked = Object.entries<string>({ ...dependencies, ...devDependencies });
    expect(asked.filter(([, range]) => !/^\d+\.\d+\.\d+$/.test(range))).toEqual([]);
    const own = asked.filter(([name]) => name.includes('fuzzqe'));
    expect(new Set(own.map(([, range]) => range))).toEqual(new Set([version]));
  });
});

describe('a project that cannot be made', () => {
  it('leaves a folder in use as it is, and a file, and what stands beside it', async () => {
    const full = join(folder, 'full');
    await mkdir(full);
    await writeFile(join(full, 'mine.txt'), 'mine');
    await mkdir(join(folder, 'fresh.new'));
    for (const path of [full, join(full, 'mine.txt')])
      await expect(createProject({ folder: path, template: 'serve' })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('expected a new or an empty folder'),
      });
    expect(await readdir(full)).toEqual(['mine.txt']);
    expect(await readFile(join(full, 'mine.txt'), 'utf8')).toBe('mine');
    await createProject({ folder: join(folder, 'fresh'), template: 'serve' });
    expect(await readdir(folder)).toContain('fresh.new');
  });

  it.each(['', '.', '..'])(
    'is refused in the folder %j, which no other can be put in place of',
    async (path) => {
      await expect(createProject({ folder: path, template: 'serve' })).rejects.toMatchObject({
        code: 'usage',
      });
    },
  );

  it('leaves nothing where its data are not there, or a folder', async () => {
    const target = join(folder, 'no-data');
    for (const data of [join(folder, 'gone.tsv'), folder])
      await expect(createProject({ folder: target, template: 'page', data })).rejects.toMatchObject({
        code: 'data',
      });
    expect(await readdir(folder)).not.toContain('no-data');
  });

  it('names the file of a template that is not there, and no folder of the user', async () => {
    const { named } = templates.serve;
    const part: { named: readonly string[] } = templates.serve;
    part.named = [...named, 'gone.json'];
    try {
      await expect(
        createProject({ folder: join(folder, 'no-template'), template: 'serve' }),
      ).rejects.toMatchObject({
        code: 'storage',
        message: 'template: cannot be read (ENOENT)',
        path: expect.stringMatching(/serve.gone\.json$/),
        hint: expect.stringContaining('install that again'),
      });
    } finally {
      part.named = named;
    }
    expect(await readdir(folder)).not.toContain('no-template');
  });

  it('leaves nothing where its copy breaks off', async () => {
    const target = join(folder, 'broken');
    await expect(
      createProject({ folder: target, template: 'worker', bundle: join(folder, 'gone') }),
    ).rejects.toMatchObject({ code: 'storage' });
    expect((await readdir(folder)).filter((name) => name.includes('broken'))).toEqual([]);
  });
});

it.each([
  ['Länder_', 'lander'],
  ['国', 'fuzzqe-worker'],
  ['__a__b', 'a-b'],
  ['"', 'fuzzqe-worker'],
])('names the Worker of the folder %s %s', async (name, expected) => {
  await createProject({ folder: join(folder, name), template: 'worker' });
  for (const file of ['package.json', 'wrangler.jsonc'])
    expect(await readFile(join(folder, name, file), 'utf8')).toContain(`"name": "${expected}"`);
});
