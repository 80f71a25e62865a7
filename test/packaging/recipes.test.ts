import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { launchChromium } from './launch-chromium.ts';
import { command, scratchBundle } from './scratch-bundle.ts';
import { serveFiles } from './serve-files.ts';
import { unpackPackages } from './unpack-packages.ts';
import { root, run } from './workspace.ts';

/** Installed by `npm run recipes:install`: React and Next.js, which nothing else here needs. */
const installed = join(root, 'node_modules/.cache/fuzzqe-recipes/node_modules');
const isThere = existsSync(join(installed, 'next'));
if (!isThere) {
  const reason = 'React and Next.js are not installed: npm run recipes:install';
  if (process.env['FUZZQE_REQUIRE_RUNTIMES'] === '1') throw new Error(reason);
  process.stderr.write(`skipped: ${reason}\n`);
}
const chromiumPath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

const question = 'project(r0, e0)';

/** The label of an answer that a page shows as `label 0.123 (state)`. */
const withoutDegree = (text: string): string => text.replace(/ [01]\.\d{3} \(.*\)$/, '');

describe.skipIf(!isThere)('a recipe, with the packed packages', { timeout: 300_000 }, () => {
  const { bundle } = scratchBundle('recipes');
  // Inside the repository: Next.js packs no files that lie outside of the project's workspace. Git ignores it.
  const folder = mkdtempSync(join(root, '.tmp-recipes-'));
  const started: ChildProcess[] = [];
  beforeAll(() => unpackPackages(folder, inject('tarballs')));
  afterAll(() => {
    for (const child of started) child.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The project of an example, with its packages and a bundle at a place. */
  function makeProject(example: string, place: string): string {
    const project = join(folder, example);
    cpSync(join(root, 'examples', example), project, { recursive: true });
    // Links of one file system: 340 MB.
    const linked = run('cp', ['-al', installed, join(project, 'node_modules')], { program: true });
    expect(linked.status, linked.stderr).toBe(0);
    for (const name of ['fuzzqe', '@fuzzqe'])
      cpSync(join(folder, 'node_modules', name), join(project, 'node_modules', name), { recursive: true });
    for (const name of ['typescript', 'vite'])
      symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
    mkdirSync(join(project, place, '..'), { recursive: true });
    cpSync(bundle, join(project, place), { recursive: true });
    return project;
  }

  const PATH = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`;
  const env = { ...process.env, PATH, CI: '1', NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: undefined };
  function build(project: string) {
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
      ...{ cwd: project, encoding: 'utf8', env },
    });
    return { status, text: stdout + stderr };
  }

  /** Replaces a text of a file while something is done. */
  function withText<T>(file: string, from: string, to: string, work: () => T): T {
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
    try {
      return work();
    } finally {
      writeFileSync(file, text);
    }
  }

  /** The labels that the command finds. */
  function expectedLabels(): readonly string[] {
    const { stdout } = run(command, ['query', bundle, question, '--json', '-k', '10'], { node: true });
    const { answers } = JSON.parse(stdout) as { readonly answers: readonly { readonly label: string }[] };
    expect(answers.length).toBeGreaterThan(0);
    return answers.map(({ label }) => label);
  }

  it('of React is built from strict types, and answers in a browser', async () => {
    const project = makeProject('react', 'public/bundle');
    const built = build(project);
    expect(built.status, built.text).toBe(0);
    const runtimes = (): readonly string[] =>
      readdirSync(join(project, 'dist/assets')).filter((name) => name.endsWith('.wasm'));
    expect(runtimes()).toEqual([]);
    const config = join(project, 'vite.config.ts');
    expect(withText(config, "name.endsWith('.wasm')", 'false', () => build(project)).status).toBe(0);
    expect(runtimes()).toHaveLength(2);
    const wrong = withText(join(project, 'src/use-answers.ts'), 'k: 10', "k: 'ten'", () => build(project));
    expect(wrong.text).toContain("'string' is not assignable to type 'number'");
    if (!existsSync(chromiumPath)) return;
    const site = await serveFiles(join(project, 'dist'));
    const browser = await launchChromium(chromiumPath);
    try {
      const page = await browser.newPage();
      await page.goto(`${site.url}/`);
      await page.locator('li').first().waitFor();
      await page.getByLabel('Question').fill(question);
      const expected = expectedLabels();
      await expect
        .poll(async () => (await page.locator('li').allTextContents()).map(withoutDegree))
        .toEqual(expected);
      await page.getByLabel('Question').fill('project(nobody');
      await page.getByRole('alert').waitFor();
      expect(await page.locator('li').count()).toBe(0);
    } finally {
      await browser.close();
      await site.close();
    }
  });

  it('of Next.js is built from strict types, and its server answers', async () => {
    const project = makeProject('next', 'runs/graph/bundle');
    const built = build(project);
    expect(built.status, built.text).toBe(0);
    // Files that Node loads are no part of what is built.
    expect(built.text).not.toMatch(/warning/i);
    const next = createRequire(join(project, 'package.json')).resolve('next/dist/bin/next');
    const child = spawn(process.execPath, [next, 'start', '--port', '0'], {
      ...{ cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    started.push(child);
    let said = '';
    child.stdout!.on('data', (part: Buffer) => {
      said += part.toString();
    });
    const port = (): number => Number(/http:\/\/localhost:(\d+)/.exec(said)?.[1]);
    await expect.poll(port).toBeGreaterThan(0);
    const ask = (path: string, q: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port()}${path}?${new URLSearchParams({ q })}`);
    const expected = expectedLabels();
    const found = await (await ask('/api/ask', question)).json();
    const labels = found.rows.map(
      (row: { entities: readonly { label: string }[] }) => row.entities[0]?.label,
    );
    expect(labels).toEqual(expected);
    expect(found.rows[0].because.length).toBeGreaterThan(0);
    const refused = await ask('/api/ask', 'project(r0, nobody)');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ code: 'vocabulary' });
    const page = await (await ask('/', question)).text();
    for (const label of expected) expect(page).toMatch(new RegExp(`<li>${label}\\b`));
    expect(await (await ask('/', 'project(r0, nobody)')).text()).toContain('role="alert"');
  });

  it('of Next.js is refused where a type is another', () => {
    const project = join(folder, 'next');
    const wrong = withText(join(project, 'app/page.tsx'), 'k: 10', "k: 'ten'", () => build(project));
    expect(wrong.status).not.toBe(0);
    expect(wrong.text).toContain("'string' is not assignable to type 'number'");
  });
});
