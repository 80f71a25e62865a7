import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '@fuzzqe/core';
import { parseQueryText } from '@fuzzqe/core/query';
import {
  importQuerySet,
  listQuerySets,
  queryFileOf,
  readDataset,
  sampleQuerySets,
  writeDataset,
} from '@fuzzqe/data';
import { tinyDataset } from '@fuzzqe/data/testing';
import { presets, readRunState } from '@fuzzqe/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PipelineOptions, pipeline, pipelineFolders } from './pipeline.ts';
import { type PipelineEvent, pipelineStages } from './pipeline-event.ts';

const { training } = presets.countries;
const config = {
  ...training,
  model: { ...training.model, dimension: 16, bases: 4 },
  steps: 60,
  validation: { every: 20, patience: 60, mode: 'embedding' as const },
};
const quick = { config, queries: { train: 40, valid: 3, test: 3 }, threads: 1, runtimes: ['node'] } as const;

describe('a pipeline', () => {
  let folder = '';
  let triples = '';
  const out = (name: string): string => join(folder, name);
  const run = async (options: Partial<PipelineOptions> & { out: string }) => {
    const result = await pipeline({ triples, ...quick, ...options });
    await result.engine.close();
    return result;
  };
  const sealOf = async (at: string): Promise<string> =>
    JSON.parse(await readFile(join(pipelineFolders(at).bundle, 'manifest.json'), 'utf8')).sha256;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-pipeline-'));
    triples = join(folder, 'world.tsv');
    // Dense enough for every structure: 120 places in two circles, of twelve kinds.
    const lines = Array.from({ length: 120 }, (_, i) =>
      [1, 2, 7].flatMap((step) => [
        `n${i}\tnext\tn${(i + step) % 120}`,
        `n${i}\tnear\tn${(i * 7 + step) % 120}`,
        `n${i}\tkind\tk${(i * step) % 12}`,
      ]),
    );
    await writeFile(triples, `${[...new Set(lines.flat())].join('\n')}\n`);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('leads there with GQE, in mode embedding with what it embeds', async () => {
    const gqe: PipelineOptions['config'] = {
      ...config,
      model: { ...config.model, relationForm: 'gqe', dimension: 32 },
      loss: { ...config.loss, name: 'margin', margin: -6, scale: 1 },
      negatives: { kind: 'own', count: 16, byDegree: 0, allFrom: 1 },
      batch: { '1p': 32, '2p': 8, '2i': 8, '3i': 8 },
      projection: 'outer',
      dropout: { input: 0, output: 0 },
      regularisers: {},
    };
    const { engine, evaluation, parity } = await pipeline({
      triples,
      ...quick,
      config: gqe,
      out: out('gqe'),
    });
    expect(parity?.passed).toBe(true);
    const [embedding, sets] = (['embedding', 'sets'] as const).map(
      (mode) => evaluation!.columns.find((column) => column.mode === mode)!.metrics.structures,
    );
    expect(Object.keys(embedding!)).toContain('up');
    expect(Object.keys(embedding!)).not.toContain('2in');
    expect(Object.keys(sets!)).toContain('2in');
    // Trained links are ranked above chance, which has an MRR of 0.05 among 132 entities.
    expect(embedding!['1p']!.mrr).toBeGreaterThan(0.06);
    const ask = (text: string, mode: 'embedding' | 'sets') =>
      engine.answer(parseQueryText(text, engine.vocabulary), { mode, k: 3 });
    expect((await ask('or(project(next, n1), project(near, n2))', 'embedding')).answers).toHaveLength(3);
    await expect(ask('and(project(next, n1), not(project(near, n2)))', 'embedding')).rejects.toMatchObject({
      code: 'usage',
      path: '$.mode',
    });
    expect((await ask('and(project(next, n1), not(project(near, n2)))', 'sets')).answers).toHaveLength(3);
    await engine.close();
  });

  it('leads there with ComplEx, which answers links in mode embedding and every query in mode sets', async () => {
    const complex: PipelineOptions['config'] = {
      ...config,
      model: { ...config.model, relationForm: 'complex' },
      loss: { ...config.loss, temperature: 1, knownAnswers: 'counted' },
      ...{ targets: 'facts', links: { pairs: 1 }, batch: { '1p': 64 }, relationPrediction: 0.25 },
      optimiser: { ...config.optimiser, learningRate: 0.05 },
      projection: 'outer',
      dropout: { input: 0, output: 0 },
      regularisers: { n3: { weight: 0.002 } },
    };
    const { engine, evaluation, parity } = await pipeline({
      triples,
      ...quick,
      config: complex,
      out: out('complex'),
    });
    expect(parity?.passed).toBe(true);
    const [embedding, sets] = (['embedding', 'sets'] as const).map(
      (mode) => evaluation!.columns.find((column) => column.mode === mode)!.metrics.structures,
    );
    expect(Object.keys(embedding!)).toEqual(['1p']);
    expect(Object.keys(sets!)).toContain('pni');
    // Chance has an MRR of 0.05 among 132 entities.
    expect(embedding!['1p']!.mrr).toBeGreaterThan(0.06);
    const ask = (text: string, mode: 'embedding' | 'sets') =>
      engine.answer(parseQueryText(text, engine.vocabulary), { mode, k: 3 });
    const path = 'project(near, project(next, n1))';
    expect((await ask('project(next, n1)', 'embedding')).answers).toHaveLength(3);
    expect((await ask(path, 'sets')).answers).toHaveLength(3);
    await expect(ask(path, 'embedding')).rejects.toMatchObject({ code: 'usage', path: '$.mode' });
    await engine.close();
  });

  it('leads from a file of triples to answers, telling each stage', async () => {
    const events: PipelineEvent[] = [];
    const { engine, dataset, evaluation, manifest, parity, folders } = await pipeline({
      triples,
      ...quick,
      out: out('whole'),
      onEvent: (event) => events.push(event),
    });
    expect(events.filter(({ kind }) => kind === 'begin').map(({ stage }) => stage)).toEqual(pipelineStages);
    expect(events.filter(({ kind }) => kind === 'end').map(({ stage }) => stage)).toEqual(pipelineStages);
    expect(events.filter(({ kind }) => kind === 'step')).toHaveLength(60);
    expect(manifest.name).toBe('world');
    // What it held out itself is in the product, and was not where figures were measured.
    expect(engine.facts.edgeCount).toBe(dataset.graphs().full.edgeCount);
    expect(manifest.training['facts']).toMatchObject({
      trained: dataset.train.length / 3,
      trainedParts: ['train'],
    });
    expect(evaluation!.columns.at(-1)!.metrics.withoutNegation!.mrr).toBeGreaterThan(0);
    expect(parity.passed).toBe(true);
    expect(folders).toEqual(pipelineFolders(out('whole')));
    const head = engine.vocabulary.entity(0).key;
    const relation = engine.vocabulary.relation(engine.facts.relationsOf(0)[0]!).key;
    const query = parseQueryText(
      `project(${JSON.stringify(relation)}, ${JSON.stringify(head)})`,
      engine.vocabulary,
    );
    expect((await engine.answer(query, { k: 3, minDegree: 0 })).answers).toHaveLength(3);
    await engine.close();
  });

  it('goes on where it was stopped, to the same bundle', async () => {
    const stop = new AbortController();
    const stopped = run({
      out: out('stopped'),
      signal: stop.signal,
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 30) stop.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    const { last } = await readRunState(pipelineFolders(out('stopped')).run);
    expect(last!.step).toBe(30);
    const steps: number[] = [];
    await run({
      out: out('stopped'),
      onEvent: (event) => {
        if (event.kind === 'step') steps.push(event.step);
      },
    });
    expect(steps[0]).toBe(31);
    expect(await sealOf(out('stopped'))).toBe(await sealOf(out('whole')));
  });

  it('repeats nothing where everything is there', async () => {
    const kinds = new Set<string>();
    await run({ out: out('whole'), onEvent: ({ kind, stage }) => kinds.add(`${kind} ${stage}`) });
    expect(kinds).not.toContain('step train');
    expect(kinds).not.toContain('progress sample');
    expect(kinds).toContain('end parity');
  });

  it('trains once more on all facts where it is told to, and keeps the figures of before', async () => {
    const before = await readFile(join(pipelineFolders(out('stopped')).bundle, 'manifest.json'), 'utf8');
    const steps: string[] = [];
    const onEvent = (event: PipelineEvent): void => {
      if (event.kind === 'step') steps.push(event.stage);
    };
    const { manifest, folders, dataset, parity } = await run({ out: out('stopped'), refit: true, onEvent });
    expect(new Set(steps)).toEqual(new Set(['refit']));
    expect(steps).toHaveLength((await readRunState(folders.run)).best!.step);
    const all = dataset.graphs().full.edgeCount / 2;
    const parts = ['train', 'valid', 'test'];
    expect(manifest.training['facts']).toEqual({
      ...{ recorded: all, recordedParts: parts },
      ...{ trained: all, trainedParts: parts },
    });
    expect(manifest.data.edges).toBe(2 * all);
    expect(manifest.metrics).toEqual(JSON.parse(before).metrics);
    expect(parity.passed).toBe(true);
    const card = await readFile(join(folders.bundle, 'README.md'), 'utf8');
    expect(card).toContain(`the model was trained once more on all of them`);
    // The same bundle as before, where the refit is not to be served.
    const held = await run({ out: out('stopped'), facts: 'train' });
    expect(held.manifest.data.edges).toBe(2 * (dataset.train.length / 3));
    await expect(run({ out: out('stopped'), facts: 'train', refit: true })).rejects.toMatchObject({
      code: 'usage',
      path: '$.facts',
    });
  });

  it('takes a graph that is too small for most structures, and refuses one that gives no query', async () => {
    const ring = out('ring.tsv');
    const facts = Array.from({ length: 20 }, (_, i) => `n${i}\tnext\tn${(i + 1) % 20}`);
    await writeFile(ring, facts.join('\n'));
    const { folders, dataset, queries, evaluation, parity } = await run({ triples: ring, out: out('ring') });
    const card = await readFile(join(folders.bundle, 'README.md'), 'utf8');
    expect(card).toMatch(/\| without negation \(\d of 9 structures\) \|/);
    const again = await run({ triples: folders.data, out: out('again') });
    expect(again.dataset.vocabulary.entity(7)).toEqual(dataset.vocabulary.entity(7));
    expect(queries.missing.train).toContain('3i');
    expect(Object.keys(evaluation!.columns.at(-1)!.metrics.structures)).toContain('2p');
    expect(parity.passed).toBe(true);
    const single = out('single.tsv');
    await writeFile(single, facts[0]!);
    await expect(run({ triples: single, out: out('single') })).rejects.toMatchObject({ code: 'data' });
  });

  it('takes the queries of a data set folder as they are, and samples what it lacks beside them', async () => {
    const [own, made] = [out('own'), out('from-own')];
    const dataset = tinyDataset('own', 1);
    const random = createRandom('own');
    const { valid } = await sampleQuerySets(dataset, { sizes: { train: 0, valid: 2, test: 0 }, random });
    await writeDataset(own, dataset, { valid });
    const lines = await readFile(queryFileOf(own, 'valid'), 'utf8');
    await importQuerySet({
      ...{ folder: own, dataset, file: queryFileOf(own, 'valid'), name: 'named', part: 'valid' },
    });
    const { folders, queries, manifest } = await run({ triples: own, out: made });
    // Nothing says that this package held its facts out.
    expect(manifest.training['facts']).toBeUndefined();
    expect(await readFile(queryFileOf(folders.data, 'valid'), 'utf8')).toBe(lines);
    expect(queries.valid.map(({ count }) => count)).toEqual(valid.map(({ count }) => count));
    expect((await listQuerySets(folders.data)).map(({ name }) => name)).toEqual(['named']);
    expect(queries.test.length).toBeGreaterThan(0);
    // The folder that was given is left as it was.
    await expect(readFile(queryFileOf(own, 'test'))).rejects.toThrow('ENOENT');
    await run({ triples: own, out: made });

    await writeFile(queryFileOf(own, 'valid'), lines.slice(lines.indexOf('\n') + 1));
    await expect(run({ triples: own, out: made })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('other queries here already'),
    });
    await expect(run({ triples: own, out: out('said'), import: { holdOut: 0.2 } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('got holdOut'),
    });
  });

  it('imports by what is said of the triples', async () => {
    const scored = out('scored.csv');
    const lines = (await readFile(triples, 'utf8')).trimEnd().split('\n');
    await writeFile(
      scored,
      `# by hand\n${lines.map((line) => `${line.replaceAll('\t', ',')},0.5`).join('\n')}\n`,
    );
    const importing = { comment: '#', ignoreExtra: true, holdOut: 0.05, licence: 'CC0-1.0' };
    const stop = new AbortController();
    const onEvent = ({ kind, stage }: PipelineEvent): void => {
      if (kind === 'end' && stage === 'import') stop.abort();
    };
    const named = { name: 'mine', import: importing, signal: stop.signal, onEvent };
    await expect(run({ triples: scored, out: out('scored'), ...named })).rejects.toMatchObject({
      code: 'interrupted',
    });
    const dataset = await readDataset(pipelineFolders(out('scored')).data);
    expect(dataset).toMatchObject({ name: 'mine', licence: 'CC0-1.0' });
    expect(dataset.test.length / 3).toBeLessThan(0.06 * lines.length);
    await expect(run({ triples: scored, out: out('unread') })).rejects.toMatchObject({ code: 'data' });
  });

  it('refuses what the model cannot have before it samples or trains', async () => {
    const blocks = presets.links.training;
    const kinds: string[] = [];
    const refused = run({
      ...{ out: out('blocks'), config: blocks, profiles: ['int8-basis'] },
      onEvent: ({ kind, stage }) => kinds.push(`${kind} ${stage}`),
    });
    await expect(refused).rejects.toMatchObject({ code: 'usage', path: 'profiles' });
    expect(kinds.filter((kind) => !kind.startsWith('progress'))).toEqual(['begin import', 'end import']);
  });

  it.runIf(process.platform === 'linux')('refuses at once a place where nothing can be written', async () => {
    const refused = run({ out: '/proc/none/deeper' });
    await expect(refused).rejects.toMatchObject({ code: 'storage', path: '/proc/none/deeper/data' });
  });

  it('refuses a folder with other labels or another licence, and takes them without training again where its data is removed', async () => {
    const entities = out('names.tsv');
    await writeFile(entities, 'n0\tNought\n');
    const whole = pipelineFolders(out('whole'));
    const state = await readFile(join(whole.run, 'state.json'), 'utf8');
    await expect(run({ out: out('whole'), import: { entities } })).rejects.toMatchObject({
      code: 'usage',
      path: whole.data,
      message: 'this graph is here already with other labels, descriptions or prefixes',
    });
    const said = { out: out('whole'), import: { entities, licence: 'CC0-1.0' } };
    await expect(run(said)).rejects.toMatchObject({
      message: 'this graph is here already with the licence unknown, not CC0-1.0',
    });
    await rm(whole.data, { recursive: true });
    const { manifest, dataset } = await run(said);
    expect(manifest.data.licence).toBe('CC0-1.0');
    expect(dataset.vocabulary.entity(dataset.vocabulary.findEntity('Nought')).key).toBe('n0');
    expect(await readFile(join(whole.run, 'state.json'), 'utf8')).toBe(state);
    // A name that was given meanwhile is no other graph.
    await run({ ...said, name: 'renamed' });
    await rm(whole.data, { recursive: true });
    await run({ out: out('whole') });
  });

  it('refuses the folder of another graph, and that of another configuration', async () => {
    const fewer = out('fewer.tsv');
    await writeFile(fewer, (await readFile(triples, 'utf8')).split('\n').slice(40).join('\n'));
    await expect(run({ triples: fewer, out: out('whole') })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('another graph'),
    });
    await expect(run({ config: { ...config, answers: 2 }, out: out('whole') })).rejects.toMatchObject({
      code: 'checkpoint',
      message: expect.stringContaining('$.answers was 1, is 2'),
    });
  });
});
