import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { FuzzError } from '@fuzzqe/core';
import type { CallLimits } from '@fuzzqe/engine';
import type { Evaluate, SparqlResult, Triple, TripleSource } from '@fuzzqe/sparql/evaluate';
import { parseSyntax } from '@fuzzqe/sparql/syntax';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEvaluatorThreads } from './evaluator-threads.ts';

const uri = (value: string): Triple['subject'] => ({ type: 'uri', value });
const chain = Array.from({ length: 20 }, (_, i): Triple => {
  const [subject, object] = [i, i + 1].map((each) => uri(`a:${each}`));
  return { subject: subject!, predicate: uri('a:next'), object: object! };
});
const source: TripleSource = {
  async *match({ subject, object }) {
    const fits = (term: Triple['subject'] | undefined, own: Triple['subject']): boolean =>
      term === undefined || term.value === own.value;
    for (const triple of chain)
      if (fits(subject, triple.subject) && fits(object, triple.object)) yield [triple];
  },
  count: ({ subject, object }) => ((subject ?? object) ? 1 : chain.length),
};
const cross = Array.from({ length: 9 }, (_, i) => `?a${i} ?b${i} ?c${i}`).join(' . ');

describe('the threads that evaluate SPARQL', () => {
  let folder = '';
  let evaluate: Evaluate;
  let script = new URL('file:///');
  const threads: Worker[] = [];
  const count = (thread: Worker): void => void threads.push(thread);
  beforeAll(async () => {
    folder = await mkdtemp(
      fileURLToPath(new URL('../../../../node_modules/.fuzzqe-sparql-', import.meta.url)),
    );
    // Node 20 runs no TypeScript: a thread of these tests runs the sources in one compiled file.
    const outfile = join(folder, 'evaluate-queries.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('./evaluate-queries.ts', import.meta.url))],
      ...{ outfile, bundle: true, format: 'esm', target: 'node20', logLevel: 'silent' },
      platform: 'browser',
      external: ['node:*'],
      conditions: ['@fuzzqe/source'],
    });
    script = pathToFileURL(outfile);
    process.on('worker', count);
    evaluate = createEvaluatorThreads(script, { threads: 1 });
  });
  afterAll(async () => {
    process.off('worker', count);
    await Promise.all(threads.map((thread) => thread.terminate()));
    await rm(folder, { recursive: true, force: true });
  });
  const ask = (text: string, limits: CallLimits = {}, from = source): Promise<SparqlResult> =>
    evaluate(parseSyntax(text).query, from, { most: 100, limits });
  const rowsOf = async (text: string): Promise<unknown> => {
    const result = await ask(text);
    return typeof result === 'object' && 'rows' in result ? result.rows.map(([term]) => term?.value) : result;
  };

  it('ask for triples by messages, several queries one after the other on one thread', async () => {
    const asked = await Promise.all([
      rowsOf('SELECT ?y { <a:3> <a:next>/<a:next> ?y }'),
      rowsOf('SELECT (COUNT(*) AS ?n) { ?x <a:next> ?y }'),
      rowsOf('ASK { <a:3> <a:next> <a:5> }'),
      rowsOf('SELECT ?x { ?x <a:next>+ <a:2> } ORDER BY ?x'),
    ]);
    expect(asked).toEqual([['a:5'], ['20'], false, ['a:0', 'a:1']]);
    expect(threads).toHaveLength(1);
  });

  it('say what is wrong with a query, and stay', async () => {
    await expect(ask(`SELECT * { ${cross} }`)).rejects.toMatchObject({ code: 'range' });
    await expect(ask('SELECT ?x { ?x <a:next> ?y FILTER(<a:no>(?x)) }')).rejects.toMatchObject({
      code: 'query',
    });
    const failing: TripleSource = {
      ...source,
      match() {
        throw new FuzzError('cost', 'too much');
      },
    };
    await expect(ask('SELECT ?x { ?x <a:next> ?y }', {}, failing)).rejects.toMatchObject({ code: 'cost' });
    expect(await rowsOf('ASK { <a:3> <a:next> <a:4> }')).toBe(true);
    expect(threads).toHaveLength(1);
  });

  it('give up a query that nobody wants, and end with an expression that takes any time', async () => {
    const abort = new AbortController();
    const counting = ask(`SELECT (COUNT(*) AS ?n) { ${cross} }`, { signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    await expect(counting).rejects.toMatchObject({ code: 'interrupted' });
    expect(await rowsOf('ASK { <a:3> <a:next> <a:4> }')).toBe(true);
    const text = `SELECT ?s { BIND("${'a'.repeat(40)}!" AS ?s) FILTER(REGEX(?s, "^(a+)+$")) }`;
    await expect(ask(text, { deadline: performance.now() + 500 })).rejects.toMatchObject({
      code: 'deadline',
    });
    // Another thread answers the next query.
    const before = threads.length;
    expect(await rowsOf('ASK { <a:3> <a:next> <a:4> }')).toBe(true);
    expect(threads.length).toBe(before + 1);
  });

  it('refuse a query whose thread cannot be there', async () => {
    const missing = createEvaluatorThreads(pathToFileURL(join(folder, 'missing.mjs')));
    const asked = missing(parseSyntax('ASK { }').query, source, { most: 1, limits: {} });
    await expect(asked).rejects.toMatchObject({ code: 'runtime' });
  });
});
