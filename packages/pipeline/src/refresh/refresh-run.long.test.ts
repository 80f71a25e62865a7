import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseQueryText } from '@fuzzqe/core/query';
import { importDataset, readDataset, writeDataset } from '@fuzzqe/data';
import { openEngine } from '@fuzzqe/engine';
import { folderSource, nodeSessions } from '@fuzzqe/serve';
import { loadBest, presets, readRunState } from '@fuzzqe/train';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pipeline, pipelineFolders } from '../pipeline.ts';
import { type RefreshOptions, refreshRun } from './refresh-run.ts';

const { training } = presets['countries-links'];
const config = {
  ...training,
  model: { ...training.model, dimension: 16 },
  steps: 60,
  validation: { every: 30, patience: 60, mode: 'embedding' as const },
};

type Fact = readonly [head: string, relation: string, tail: string];
/** 120 places in two circles, of twelve kinds. */
const facts: readonly Fact[] = [
  ...new Set(
    Array.from({ length: 120 }, (_, i) =>
      [1, 2, 7].flatMap((step) => [
        `n${i} next n${(i + step) % 120}`,
        `n${i} near n${(i * 7 + step) % 120}`,
        `n${i} kind k${(i * step) % 12}`,
      ]),
    ).flat(),
  ),
].map((fact) => fact.split(' ') as unknown as Fact);
const added: readonly Fact[] = [
  ...Array.from({ length: 9 }, (_, i): Fact => [`n${i}`, 'next', `n${i + 40}`]),
  ['stranger', 'next', 'n5'],
  ['stranger', 'kind', 'k3'],
];
const changed = [...facts.slice(10), ...added];

describe('a refresh', () => {
  let folder = '';
  const at = (...names: readonly string[]): string => join(folder, ...names);
  const write = async (name: string, lines: readonly Fact[]): Promise<string> => {
    await writeFile(at(`${name}.tsv`), lines.map((fact) => `${fact.join('\t')}\n`).join(''));
    return at(`${name}.tsv`);
  };
  const imported = async (name: string, lines: readonly Fact[]): Promise<string> => {
    const { dataset } = await importDataset({ name, train: await write(name, lines) });
    await writeDataset(at('data', name), dataset);
    return at('data', name);
  };
  /** A copy of the run, which a test may refresh. */
  const begin = async (name: string): Promise<string> => {
    await cp(at('base'), at(name), { recursive: true });
    return at(name);
  };
  const refresh = (run: string, options: Partial<RefreshOptions>) =>
    refreshRun({ run, changed: '', threads: 1, runtimes: ['node'], share: 0.2, ...options });
  const sealOf = async (bundle: string): Promise<string> =>
    JSON.parse(await readFile(join(bundle, 'manifest.json'), 'utf8')).sha256;

  let data = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fuzzqe-refresh-'));
    data = await imported('today', changed);
    const { engine } = await pipeline({
      ...{ triples: await write('world', facts), out: at('base'), config, threads: 1, runtimes: ['node'] },
      queries: { train: 0, valid: 3, test: 6 },
    });
    await engine.close();
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('goes on from the run, keeps the split, compares figures, publishes the next version, and then has nothing to do', async () => {
    const run = await begin('mine');
    const before = await sealOf(join(run, 'bundle'));
    const rare = await refresh(run, { changed: data, when: 0.05 });
    expect(rare.refreshed).toBeUndefined();
    expect(rare.changedShare).toBeCloseTo((10 + added.length) / facts.length, 6);
    expect(await sealOf(join(run, 'bundle'))).toBe(before);
    const { refreshed, changes } = await refresh(run, { changed: data, when: 0.01 });
    expect(changes).toMatchObject({ added: added.length, removed: 10, kept: facts.length - 10 });
    const { out, bundle, figures, manifest } = refreshed!;
    expect([out, bundle]).toEqual([join(run, 'refresh', '1'), join(run, 'bundle')]);
    expect(await sealOf(bundle)).toBe(manifest.sha256);
    expect(manifest.sha256).not.toBe(before);
    const { checkpoint } = await loadBest(join(run, 'run'));
    expect(manifest.training).toMatchObject({ steps: 12, origin: { checkpoint, steps: 60 } });
    expect(manifest.name).toBe('world');
    const card = await readFile(join(bundle, 'README.md'), 'utf8');
    expect(card).toContain(
      `Continues the training of an earlier version, whose best parameters have the SHA-256 \`${checkpoint}\``,
    );
    expect((await readRunState(join(out, 'run'))).origin).toEqual({ checkpoint, steps: 60 });
    expect(figures.map(({ metric, mode }) => `${mode} ${metric}`)).toContain('sets MRR, 1p');
    for (const { before, after, queries } of figures) {
      expect(queries).toBeGreaterThan(0);
      expect(Math.min(before, after)).toBeGreaterThan(0);
    }
    // The split of the facts that stayed.
    const [was, is] = [await readDataset(join(run, 'data')), await readDataset(join(out, 'data'))];
    const keysOf = ({ vocabulary }: typeof was, triples: Int32Array): string[] =>
      Array.from({ length: triples.length / 3 }, (_, i) =>
        [
          vocabulary.entity(triples[3 * i]!).key,
          vocabulary.relation(triples[3 * i + 1]!).key,
          vocabulary.entity(triples[3 * i + 2]!).key,
        ].join(' '),
      );
    const test = new Set(keysOf(was, was.test));
    const gone = new Set(facts.slice(0, 10).map((fact) => fact.join(' ')));
    expect(keysOf(is, is.train).filter((fact) => test.has(fact))).toHaveLength(changes.moved);
    const stayed = keysOf(is, is.test).filter((fact) => test.has(fact));
    expect(stayed).toHaveLength([...test].filter((fact) => !gone.has(fact)).length - changes.moved);
    const again = await refresh(run, { changed: data });
    expect(again).toMatchObject({ changedShare: 0, refreshed: undefined });
    // By changes of a log, from the refresh and into a repository.
    const log = [
      { does: 'remove', head: 'n3', relation: 'next', tail: 'n43' },
      { does: 'add', head: 'n0', relation: 'next', tail: 'n1' },
      ...['n2', 'n3', 'n4'].map((tail) => ({ does: 'add', head: 'comet', relation: 'near', tail }) as const),
      { does: 'add', head: 'comet', relation: 'orbits', tail: 'n5' },
      { does: 'add', head: 'ghost', relation: 'near', tail: 'n5' },
      { does: 'remove', head: 'ghost', relation: 'near', tail: 'n5' },
    ] as const;
    const creates = {
      entities: ['comet', 'ghost'].map((key) => ({ key, label: `The ${key}` })),
      relations: [{ key: 'orbits', label: 'orbits' }],
    };
    const next = await refresh(run, { changed: log, creates, repository: at('bundles') });
    expect(next.changes).toMatchObject({
      added: 5,
      removed: 1,
      restored: 0,
      newEntities: 1,
      newRelations: 1,
    });
    // New names have rows of parameters, and the rows of others are where they were.
    const { vocabulary } = await readDataset(join(next.refreshed!.out, 'data'));
    expect(vocabulary.entity(vocabulary.entityCount - 1)).toEqual({ key: 'comet', label: 'The comet' });
    expect(vocabulary.entityCount).toBe(is.vocabulary.entityCount + 1);
    expect(vocabulary.relationCount).toBe(is.vocabulary.relationCount + 2);
    const { parameters } = await loadBest(join(next.refreshed!.out, 'run'));
    const rows = parameters['entities']!;
    const width = rows.length / vocabulary.entityCount;
    const old = (await loadBest(join(out, 'run'))).parameters['entities']!;
    expect(width).toBe(old.length / is.vocabulary.entityCount);
    const apart = (row: number): number =>
      Math.max(...Array.from(old.subarray(0, width), (value, i) => Math.abs(value - rows[row * width + i]!)));
    expect(apart(0)).toBeLessThan(0.2);
    expect(apart(vocabulary.entityCount - 1)).toBeGreaterThan(2 * apart(0));
    expect(rows.subarray(-width).some((value) => value !== 0)).toBe(true);
    const engine = await openEngine({
      source: folderSource(next.refreshed!.bundle),
      sessions: nodeSessions(next.refreshed!.bundle),
    });
    const asked = await engine.answer(parseQueryText('project(orbits^-1, n5)', engine.vocabulary), { k: 3 });
    expect(asked.answers[0]).toMatchObject({ key: 'comet', label: 'The comet', degree: 1 });
    await engine.close();
    expect(next.refreshed!.bundle).toBe(at('bundles', 'world', '1'));
    expect(next.refreshed!.manifest.training).toMatchObject({ steps: 12, origin: { steps: 72 } });
    expect(await readdir(join(run, 'refresh'))).toEqual(['1', '2']);
    expect(await sealOf(join(run, 'bundle'))).toBe(manifest.sha256);
    await expect(
      refresh(run, { changed: [{ does: 'add', head: 'nobody', relation: 'next', tail: 'n1' }] }),
    ).rejects.toMatchObject({ code: 'data', message: expect.stringContaining('got "nobody"') });
  }, 180_000);

  it('goes on where it was stopped, to the same bundle', async () => {
    const [one, other] = [await begin('whole'), await begin('stopped')];
    const whole = await refresh(one, { changed: data });
    const stop = new AbortController();
    const stopped = refresh(other, {
      changed: data,
      signal: stop.signal,
      onEvent: (event) => {
        if (event.kind === 'step' && event.step === 5) stop.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    const begun: boolean[] = [];
    const rest = await refresh(other, {
      ...{ changed: data, when: 0.5 },
      onBegin: ({ isContinued }) => begun.push(isContinued),
    });
    expect(begun).toEqual([true]);
    expect(rest.refreshed!.manifest.sha256).toBe(whole.refreshed!.manifest.sha256);
    expect(rest.refreshed!.figures).toEqual(whole.refreshed!.figures);
  }, 240_000);

  it('takes rejected links as negatives: their degrees fall, those of another relation do not', async () => {
    const places = Array.from({ length: 60 }, (_, i) => `n${i}`);
    /** Degrees of what a bundle predicts, without a store of facts: by head, relation and tail. */
    const predicted = async (bundle: string, relation: string): Promise<Map<string, number>> => {
      const engine = await openEngine({ source: folderSource(bundle), sessions: nodeSessions(bundle) });
      const degrees = new Map<string, number>();
      for (const place of places) {
        const query = parseQueryText(`project(${relation}, ${place})`, engine.vocabulary);
        const { answers } = await engine.answer(query, { k: 130, minDegree: 0, exclude: 'known' });
        for (const { key, degree } of answers) degrees.set(`${place} ${relation} ${key}`, degree);
      }
      await engine.close();
      return degrees;
    };
    const best = [...(await predicted(at('base', 'bundle'), 'near'))]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 40);
    const rejections = best.map(([link]) => {
      const [head, relation, tail] = link.split(' ') as unknown as Fact;
      return { does: 'reject', head, relation, tail } as const;
    });
    const [head, relation, tail] = facts[0]!;
    const gone = { does: 'remove', head, relation, tail } as const;
    const [plain, judged] = [await begin('plain'), await begin('judged')];
    expect((await refresh(plain, { changed: [gone] })).changes).toMatchObject({ rejected: 0, judged: 0 });
    const { changes, changedShare } = await refresh(judged, { changed: [gone, ...rejections] });
    expect(changes).toMatchObject({ rejected: 40, judged: 40, removed: 1 });
    expect(changedShare).toBeCloseTo(41 / facts.length, 6);
    const out = join(judged, 'refresh', '1');
    expect((await readDataset(join(out, 'data'))).rejected).toHaveLength(3 * 40);
    expect(JSON.parse(await readFile(join(out, 'refresh.json'), 'utf8')).changes).toEqual(changes);
    const change = async (relation: string, links?: readonly string[]): Promise<number> => {
      const [before, after] = await Promise.all(
        [plain, judged].map((run) => predicted(join(run, 'bundle'), relation)),
      );
      const sum = (degrees: ReadonlyMap<string, number>): number =>
        (links ?? [...before!.keys()]).reduce((all, link) => all + degrees.get(link)!, 0);
      return sum(after!) / sum(before!) - 1;
    };
    const rejected = best.map(([link]) => link);
    expect(await change('near', rejected)).toBeLessThan(-0.05);
    for (const relation of ['kind', 'next']) expect(Math.abs(await change(relation))).toBeLessThan(0.01);
    // The next refresh keeps rejections that no change takes back.
    const next = await refresh(judged, {
      changed: [
        { ...gone, does: 'add' },
        { ...rejections[0]!, does: 'remove' },
      ],
    });
    expect(next.changes).toMatchObject({ rejected: 39, judged: 1, added: 1 });
  }, 240_000);

  it('begins anew when it was stopped with other facts', async () => {
    const run = await begin('other');
    const stop = new AbortController();
    const stopped = refresh(run, {
      changed: await imported('yesterday', changed.slice(1)),
      signal: stop.signal,
      onEvent: ({ kind }) => kind === 'step' && stop.abort(),
    });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    const { refreshed, changes } = await refresh(run, { changed: data });
    expect(changes.removed).toBe(10);
    expect(refreshed!.out).toBe(join(run, 'refresh', '1'));
    expect(await readdir(pipelineFolders(refreshed!.out).run)).toContain('evaluation.json');
  }, 180_000);

  it('takes a run that was trained by itself with its data set', async () => {
    const run = at('mine', 'run');
    await expect(refresh(run, { changed: data })).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('--earlier-data'),
    });
    await expect(refresh(run, { changed: data, earlierData: data })).rejects.toMatchObject({
      code: 'checkpoint',
      message: expect.stringContaining('another graph than this data set'),
    });
    const { refreshed } = await refresh(run, { changed: data, earlierData: at('mine', 'data') });
    expect(refreshed!.bundle).toBe(join(run, 'refresh', '1', 'bundle'));
  }, 120_000);

  it('refuses another graph, a folder without a run and shares out of range, and leaves nothing behind', async () => {
    const run = at('whole');
    const foreign = await imported(
      'foreign',
      facts.map(([head, relation, tail]): Fact => [`x${head}`, relation, `x${tail}`]),
    );
    await expect(refresh(run, { changed: foreign })).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('got another graph'),
    });
    await expect(refresh(at('none'), { changed: data })).rejects.toMatchObject({ code: 'checkpoint' });
    await expect(refresh(run, { changed: data, share: 0 })).rejects.toMatchObject({ code: 'range' });
    await expect(refresh(run, { changed: data, when: 2 })).rejects.toMatchObject({ code: 'range' });
    expect(await readdir(join(run, 'refresh'))).toEqual(['1']);
    await expect(readdir(at('none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
