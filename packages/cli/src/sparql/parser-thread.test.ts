import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import type { CallLimits } from '@fuzzqe/engine';
import { createVocabulary } from '@fuzzqe/names';
import { parseSparql } from '@fuzzqe/sparql';
import { parseSyntax } from '@fuzzqe/sparql/syntax';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createParserThread, type ParseElsewhere, threadScript } from './parser-thread.ts';

const threads: Worker[] = [];
const count = (thread: Worker): void => void threads.push(thread);

describe('the thread that reads SPARQL', () => {
  let folder = '';
  let script = new URL('file:///');
  let parse: ParseElsewhere;
  /** Node 20 runs no TypeScript: a thread or process of these tests runs the sources in one compiled file. */
  const compiled = async (source: string): Promise<URL> => {
    const outfile = join(folder, source.replace('.ts', '.mjs'));
    await build({
      entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
      outfile,
      conditions: ['@fuzzqe/source'],
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'silent',
    });
    return pathToFileURL(outfile);
  };
  beforeAll(async () => {
    folder = await mkdtemp(
      fileURLToPath(new URL('../../../../node_modules/.fuzzqe-sparql-', import.meta.url)),
    );
    script = await compiled('parse-texts.ts');
    process.on('worker', count);
    parse = createParserThread(script, { idle: 20 });
  });
  afterAll(async () => {
    process.off('worker', count);
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    await expect.poll(() => threads.every(({ threadId }) => threadId === -1)).toBe(true);
    threads.length = 0;
  });

  it('gives what the parser gives here, of several texts at once by one thread, which ends when nothing is asked', async () => {
    expect(threads).toHaveLength(0);
    const texts = [
      'SELECT ?x ?degree { entity:a relation:r/^relation:s ?x FILTER NOT EXISTS { ?x relation:t entity:b:c } }',
      'PREFIX ex: <http://example.org/> ASK { ex:a ex:b\\(c ex:d FILTER(?degree >= 0.5) }',
      'SELECT * { { ?x ^relation:r <http://example.org/a> } UNION { VALUES ?x { entity:a } } } ORDER BY ?x LIMIT 3',
    ];
    const parsed = await Promise.all(texts.map((text) => parse(text)));
    expect(parsed).toEqual(texts.map((text) => parseSyntax(text)));
    expect(threads).toHaveLength(1);
  });

  it('says what is wrong with a text where the parser here does', async () => {
    const vocabulary = createVocabulary({ entities: [{ key: 'a', label: 'a' }], relations: [] });
    for (const text of ['SELECT ?x {', 'DELETE { ?a ?b ?c }', 'SELECT ?x { \u0000 }', 'x'.repeat(20_000)]) {
      let here: unknown;
      try {
        parseSparql(text, vocabulary);
      } catch (error) {
        here = error;
      }
      const { code, message, path, hint } = here as Record<string, string>;
      await expect(parse(text)).rejects.toMatchObject({ code, message, path, hint });
    }
  });

  it('holds up no process that ends', async () => {
    const module = await compiled('parser-thread.ts');
    // It would end with the thread, an hour later.
    const code = `import { createParserThread } from '${module}';
      const parse = createParserThread(new URL('${script}'), { idle: 3_600_000 });
      const server = setInterval(() => {}, 1000);
      process.stdout.write((await parse('ASK { }')).text);
      clearInterval(server);`;
    const main = join(folder, 'main.mjs');
    await writeFile(main, code);
    const { stdout } = await promisify(execFile)(process.execPath, [main]);
    expect(stdout).toBe('ASK { }');
  });

  it('holds up no process that ends by the deadline of a text', async () => {
    const module = await compiled('parser-thread.ts');
    const code = `import { createParserThread } from '${module}';
      const parse = createParserThread(new URL(${JSON.stringify(answering('').href)}));
      parse('ASK { }', { deadline: performance.now() + 3000 }).catch(() => process.stdout.write('held up'));
      process.stdout.write('asked ');`;
    const main = join(folder, 'pending.mjs');
    await writeFile(main, code);
    const { stdout } = await promisify(execFile)(process.execPath, [main]);
    expect(stdout).toBe('asked ');
  });

  it('refuses what waits where it ends, and the next text starts another', async () => {
    const silent = createParserThread(answering(''), { idle: 20 });
    for (const place of [0, 1]) {
      const ended = silent('ASK { }').catch((error: unknown) => error);
      await new Promise((resolve) => setImmediate(resolve));
      await threads[place]!.terminate();
      expect(await ended).toMatchObject({ code: 'runtime' });
    }
  });

  it('refuses what this thread could not take, as the parser here does, and reads the next text', async () => {
    const chain = (length: number, operator: string): string =>
      Array.from({ length }, (_, i) => (i % 60 === 59 ? '1 ' : '1')).join(operator);
    const filter = (expression: string): string =>
      `SELECT ?x { entity:a relation:r ?x FILTER(${expression} > 1) }`;
    for (const expression of [chain(1500, '+'), chain(700, '+'), chain(300, ' - '), chain(7500, '+')]) {
      const text = filter(expression);
      expect(() => parseSyntax(text)).toThrow(expect.objectContaining({ code: 'query' }));
      await expect(parse(text)).rejects.toMatchObject({ code: 'query' });
    }
    expect(await parse('ASK { }')).toMatchObject({ text: 'ASK { }' });
  });

  it('lets nobody wait for an answer that cannot be received', async () => {
    // A thread has more stack than this one.
    const deep = createParserThread(
      answering('let reply = {}; for (let i = 0; i < 5000; i++) reply = { reply }; port.postMessage(reply);'),
      { idle: 20 },
    );
    await expect(deep('ASK { }')).rejects.toMatchObject({ code: 'runtime' });
  });

  it('reads one text of each caller in turns, and none that was given up or is too late', async () => {
    const counting = createParserThread(
      answering(
        'globalThis.count = (globalThis.count ?? 0) + 1; port.postMessage({ parsed: { text, count } });',
      ),
      { idle: 20 },
    );
    const abort = new AbortController();
    const read = (text: string, caller: string, limits: CallLimits = {}): Promise<unknown> =>
      counting(text, { caller, ...limits });
    const outcomes = Promise.allSettled([
      read('first', 'ann'),
      read('given up', 'ann', { signal: abort.signal }),
      read('third', 'ann'),
      read('other', 'bob'),
      read('late', 'bob', { deadline: performance.now() }),
      read('last', 'ann'),
    ]);
    abort.abort();
    expect(await outcomes).toMatchObject([
      { value: { text: 'first', count: 1 } },
      { reason: { code: 'interrupted' } },
      { value: { text: 'third', count: 2 } },
      { value: { text: 'other', count: 3 } },
      { reason: { code: 'deadline' } },
      { value: { text: 'last', count: 4 } },
    ]);
  });

  it('answers at the deadline, and ends the thread of a text that takes too long', async () => {
    const silent = createParserThread(answering(''), { idle: 20, longest: 200 });
    const outcomes = await Promise.allSettled([
      silent('ASK { }', { deadline: performance.now() + 20 }),
      silent('ASK { }'),
    ]);
    const late = { reason: { code: 'deadline' } };
    expect(outcomes).toMatchObject([late, late]);
    expect(threads).toHaveLength(2);
  });
  it('has a script where it is compiled, and says where that is missing', () => {
    expect(threadScript('parse-texts')).toBeUndefined();
    const missing = pathToFileURL(join(folder, 'parser-thread.js')).href;
    expect(() => threadScript('parse-texts', missing)).toThrow(
      /parse-texts\.js: expected the script that reads or evaluates SPARQL/,
    );
  });
});

/** A thread that does this with every text. */
function answering(code: string): URL {
  const script = `import { parentPort as port } from 'node:worker_threads'; port.on('message', ({ text }) => { ${code} });`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}
