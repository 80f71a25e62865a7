import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeStandIns } from './stand-ins.ts';
import { repositoryFiles, root } from './workspace.ts';

/** A block of commands in a document, as its reader would paste it. */
interface Block {
  readonly title: string;
  readonly code: string;
  /** Why it is not run here: `<!-- not run: … -->` above the block says so. */
  readonly notRun: string | undefined;
}

function blocksOf(document: string, text: string): readonly Block[] {
  const fences = /^(?:<!-- not run: (.+) -->\n+)?```(\w*)\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(fences)]
    .filter(
      ([, , language, code]) =>
        language === 'sh' || language === 'bash' || (language === '' && /^(?:npm|npx|fuzzqe) /m.test(code!)),
    )
    .map(({ 0: block, 1: notRun, 3: code, index }) => {
      const line = text.slice(0, index + block.indexOf('```')).split('\n').length;
      return { title: `${document}:${line}: ${code!.split('\n', 1)[0]}`, code: code!, notRun };
    });
}

/** In the order of a reader: the demo of README.md still serves in the first tutorial and for SPARQL. */
const inOrder = [
  'README.md',
  'docs/first-question.md',
  'docs/sparql.md',
  'docs/first-python.md',
  'docs/first-page.md',
  'docs/your-own-graph.md',
  'docs/data.md',
  'docs/training.md',
  'docs/gpu.md',
  'docs/evidence.md',
  'docs/evaluation.md',
  'docs/export.md',
  'docs/sweeps.md',
];
/** Every other page after these pages: a block that cannot run says why. */
const others = readdirSync(join(root, 'docs'))
  .map((name) => `docs/${name}`)
  .filter((path) => path.endsWith('.md') && !inOrder.includes(path));
const documents = [...inOrder, ...others.sort()];

const blocks = documents.flatMap((document) =>
  blocksOf(document, readFileSync(join(root, document), 'utf8')),
);

const address = 'http://localhost:8080';
/** Commands that go on until Ctrl-C: the last ones of their blocks. */
const serves = (code: string): boolean =>
  /\bfuzzqe serve\b[^\n]*\n$|\bnpm run demo\n$|--serve\b[^\n]*\n$/.test(code);

let folder: string;
let server: Running | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fuzzqe-clone-'));
  for (const path of repositoryFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(root, path), join(folder, path));
  }
  writeStandIns(folder);
});
// A whole installation: on a busy disk removing it takes longer than a hook's default minute.
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
}, 300_000);

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals | null>;
  output(): string;
  errors(): string;
}

/** Starts a block in a shell and a process group of its own, in the environment of somebody who runs no tests. */
function start(code: string): Running {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(?:VITEST|NODE_ENV$|NODE_OPTIONS$|INIT_CWD$|TEST$|npm_(?!config_)|npm_config_(?:local_)?prefix$)/.test(
          name,
        ),
    ),
  );
  const path = (env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'));
  const child = spawn('bash', ['-euo', 'pipefail', '-c', code], {
    cwd: folder,
    env: { ...env, PATH: path.join(delimiter) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const ended = new Promise<number | NodeJS.Signals | null>((settle) => {
    child.on('close', (status, signal) => settle(status ?? signal));
  });
  return { child, ended, output: () => output, errors: () => errors };
}

/** Ends the server of an earlier block as its reader would, by Ctrl-C. */
async function stop(): Promise<void> {
  if (server === undefined) return;
  const { child, ended } = server;
  server = undefined;
  process.kill(-child.pid!, 'SIGINT');
  const status = await Promise.race([ended, setTimeout(30_000, 'still there')]);
  if (status === 'still there') process.kill(-child.pid!, 'SIGKILL');
  expect([0, 130, 'SIGINT'], 'what serves ends by Ctrl-C').toContain(status);
}

/** Waits until a server answers. Throws where its process ends first. */
async function answering({ ended, output, errors }: Running): Promise<void> {
  let status: unknown;
  void ended.then((how) => {
    status = how ?? 'ended';
  });
  while (
    !(await fetch(`${address}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (status !== undefined) throw new Error(`ended with ${status}:\n${output()}${errors()}`);
    await setTimeout(200);
  }
}

describe('the commands of the documents, in a fresh clone and in their order', () => {
  it.for(blocks)('$title', { timeout: 900_000 }, async ({ code, notRun }, { skip }) => {
    if (notRun !== undefined) return skip(notRun);
    if (serves(code)) {
      await stop();
      await expect(fetch(address), `something else serves ${address}`).rejects.toThrow();
      server = start(code);
      await answering(server);
      return;
    }
    const { ended, output, errors } = start(code);
    const status = await ended;
    expect({ status, said: status === 0 ? '' : output() + errors() }).toEqual({ status: 0, said: '' });
    if (!code.startsWith('curl ')) return;
    if (code.includes('/sparql ')) expect(output()).toMatch(/^x,degree\r?\n./);
    else expect(JSON.parse(output())).toMatchObject({ answers: expect.anything() });
  });
});

describe('the blocks', () => {
  it('are found, with the reason why they are not run', () => {
    const text =
      'Text\n\n```sh\nnpm ci\n```\n\n<!-- not run: a download -->\n```\nfuzzqe data\n```\n\n```ts\n1;\n```\n';
    expect(blocksOf('a.md', text)).toEqual([
      { title: 'a.md:3: npm ci', code: 'npm ci\n', notRun: undefined },
      { title: 'a.md:8: fuzzqe data', code: 'fuzzqe data\n', notRun: 'a download' },
    ]);
  });

  it('fail where a command does', async () => {
    const { ended } = start('false | cat\necho done\n');
    expect(await ended).toBe(1);
  });
});
