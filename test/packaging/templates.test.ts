import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { tinyBundle } from '@fuzzqe/parity/testing';
import { templateNames, templates } from 'create-fuzzqe/templates';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { serveFiles } from './serve-files.ts';
import { root, run } from './workspace.ts';

const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const { path: tarball } = inject('tarballs').find(({ name }) => name === 'create-fuzzqe')!;
let folder: string;
let bundle: string;

/** A program with arguments in a folder, as a user would run it. */
function runIn(cwd: string, program: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}` },
  });
  return { status, stdout, text: stdout + stderr };
}

/** A project that the packed package wrote, with the packages that are built here in place of those of a registry. */
function makeProject(template: string): string {
  const project = join(folder, `my-${template}`);
  const made = runIn(
    folder,
    process.execPath,
    'package/bin/create-fuzzqe.js',
    project,
    '--template',
    template,
  );
  expect(made.status, made.text).toBe(0);
  mkdirSync(join(project, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  const place = join(project, templates[template as keyof typeof templates].bundle);
  cpSync(bundle, place, { recursive: true });
  return project;
}

describe('what `npm create fuzzqe` makes', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fuzzqe-templates-'));
    ({ directory: bundle } = await tinyBundle());
    const unpacked = run('tar', ['-xzf', tarball, '-C', folder], { program: true });
    expect(unpacked.status, unpacked.stderr).toBe(0);
    // Installed beside it: its two dependencies, as they are built.
    mkdirSync(join(folder, 'package/node_modules'));
    symlinkSync(join(root, 'node_modules/@fuzzqe'), join(folder, 'package/node_modules/@fuzzqe'));
  });
  afterAll(() => {
    for (const each of [folder, bundle]) rmSync(each, { recursive: true, force: true });
  });

  it('is in the packed package, as the examples are', () => {
    for (const name of templateNames)
      for (const file of [...templates[name].copied, ...templates[name].named].filter(
        (each) => each !== 'src',
      ))
        expect(
          readFileSync(join(folder, 'package/dist/template', name, file), 'utf8'),
          `${name}/${file}`,
        ).toBe(readFileSync(join(root, 'examples', name, file), 'utf8'));
  });

  it('compiles, asks its bundle, and is refused by the compiler where the types are others', () => {
    const project = makeProject('serve');
    const asked = runIn(project, 'npm', 'run', '--silent', 'ask');
    expect(asked.status, asked.text).toBe(0);
    const [question, ...answers] = asked.stdout.trim().split('\n');
    expect(question).toMatch(/^project\(/);
    expect(answers.length).toBeLessThanOrEqual(5);
    expect(answers[0]).toMatch(/\(recorded\)$/);
    expect(answers[0]).toMatch(/^[01]\.\d{3} \S/);
    const other = runIn(project, 'npm', 'run', '--silent', 'ask', '--', question!);
    expect(other.stdout).toBe(asked.stdout);
    const byCommand = runIn(project, 'npm', 'run', '--silent', 'query', '--', question!);
    expect(byCommand.status, byCommand.text).toBe(0);
    for (const answer of answers) expect(byCommand.stdout).toContain(answer.split(' ')[1]);
    for (const mistyped of ['project(nothing', 'project(nope, p1)']) {
      const refused = runIn(project, 'npm', 'run', '--silent', 'ask', '--', mistyped);
      expect(refused).toMatchObject({ status: 1, stdout: '' });
      // Where, what, and a hint: no stack.
      expect(refused.text).toMatch(/^\S.*: .*\n(?: {2}.*\n){1,4}$/);
      expect(refused.text).not.toMatch(/^ +at /m);
    }
    renameSync(join(project, 'runs/graph/bundle'), join(project, 'moved'));
    const unmade = runIn(project, 'npm', 'run', '--silent', 'ask');
    expect(unmade).toMatchObject({
      status: 1,
      text: expect.stringMatching(/^\S*runs\/graph\/bundle: .*\n(?: {2}.*\n)?$/),
    });
    const source = join(project, 'src/ask.ts');
    writeFileSync(source, readFileSync(source, 'utf8').replace('k: 5', "k: 'five'"));
    expect(runIn(project, 'npm', 'run', '--silent', 'build').text).toContain(
      "Type 'string' is not assignable to type 'number'",
    );
  });

  it('is a page that is built to files: script, workers, bundle, and the runtime once', async () => {
    const project = makeProject('page');
    const built = runIn(project, 'npm', 'run', '--silent', 'build');
    expect(built.status, built.text).toBe(0);
    const files = readdirSync(join(project, 'dist'), { recursive: true }) as string[]; // without buffers
    expect(files).toEqual(expect.arrayContaining(['index.html', 'bundle/manifest.json']));
    expect(files.filter((file) => file.endsWith('.wasm'))).toEqual(['runtime/ort-wasm-simd-threaded.wasm']);
    const workers = files.flatMap((file) => /^assets\/(.*worker)-.*\.js$/.exec(file)?.[1] ?? []);
    expect(workers.sort()).toEqual(['bundle-worker']);
    if (!existsSync(chromiumPath)) return;
    const site = await serveFiles(join(project, 'dist'));
    const { launchChromium } = await import('./launch-chromium.ts');
    const browser = await launchChromium(chromiumPath);
    try {
      const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
      await page.goto(`${site.url}/`);
      await page.locator('li').first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await page.getByRole('textbox').fill('project(nothing');
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('expected').waitFor();
      // What was answered before is no answer to this.
      expect(await page.locator('li').count()).toBe(0);
    } finally {
      await browser.close();
      await site.close();
    }
  });

  it.skipIf(!existsSync(chromiumPath))('is a page that is served while it is written', async () => {
    const project = join(folder, 'my-page');
    // As they are installed: what is linked is served otherwise.
    const scope = join(project, 'node_modules/@fuzzqe');
    rmSync(scope);
    cpSync(join(root, 'node_modules/@fuzzqe'), scope, {
      ...{ recursive: true, dereference: true },
      filter: (path) =>
        !/[/\\](?:src|node_modules)$/.test(path.slice(root.length + 1).replace(/^node_modules/, '')),
    });
    const vite = spawn(process.execPath, [join(root, 'node_modules/vite/bin/vite.js'), '--port', '0'], {
      cwd: project,
    });
    const { launchChromium } = await import('./launch-chromium.ts');
    const browser = await launchChromium(chromiumPath);
    try {
      const url = await new Promise<string>((resolve, reject) => {
        let text = '';
        vite.stdout.on('data', (data) => {
          // In colours, or not.
          text += stripVTControlCharacters(String(data));
          const found = /http:\S+/.exec(text);
          if (found !== null) resolve(found[0]);
        });
        vite.once('exit', () => reject(new Error(`vite ended: ${text}`)));
      });
      const page = await browser.newPage();
      const errors: string[] = [];
      page.on('pageerror', ({ message }) => errors.push(message));
      await page.goto(url);
      await page.locator('li').first().waitFor({ timeout: 60_000 });
      expect(errors).toEqual([]);
    } finally {
      await browser.close();
      vite.kill();
    }
  });
});
