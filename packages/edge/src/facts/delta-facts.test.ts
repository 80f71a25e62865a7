import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { edgeMemory, type Manifest, profileOf } from '@fuzzqe/bundle';
import { parseQueryText } from '@fuzzqe/core/query';
import type { FactChange } from '@fuzzqe/facts';
import { engineFacts } from '@fuzzqe/facts/apply';
import { type TinyBundle, tinyBundle } from '@fuzzqe/parity/testing';
import { folderSource, openServingEngine } from '@fuzzqe/serve';
import * as ort from 'onnxruntime-web';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEdgeApp } from '../app.ts';
import { type DeltaOptions, type DeltaPlace, deltaFacts, kvDelta, r2Delta } from './index.ts';

let bundle: TinyBundle;
beforeAll(async () => {
  bundle = await tinyBundle('tiny', ['int8-basis'], 'workers');
});
afterAll(() => rm(bundle.directory, { recursive: true, force: true }));

const at = '2026-11-28T12:00:00Z';
const add = (head: string, relation: string, tail: string, more: Partial<FactChange> = {}): FactChange => ({
  ...{ does: 'add', head, relation, tail },
  ...more,
});
const batch = (epoch: number, changes: readonly FactChange[], creates?: object): string =>
  `${JSON.stringify({ epoch, at, ...(creates === undefined ? {} : { creates }), changes })}\n`;
const streamOf = (text: string): ReadableStream<Uint8Array> => new Response(text).body!;

/** A bucket whose object a test replaces. */
function bucketOf(text: string | undefined) {
  const bucket: { text: string | undefined; asked: number; read: number; readonly place: DeltaPlace } = {
    text,
    asked: 0,
    read: 0,
    place: r2Delta(
      {
        async get(_key, options) {
          bucket.asked += 1;
          if (bucket.text === undefined) return null;
          const etag = `${bucket.text.length} ${bucket.text.slice(-40)}`;
          if (options?.onlyIf.etagDoesNotMatch === etag) return { etag };
          bucket.read += 1;
          return { etag, body: streamOf(bucket.text) };
        },
      },
      'facts.ndjson',
    ),
  };
  return bucket;
}

function appOf(place: DeltaPlace, options?: DeltaOptions, directory = bundle.directory, memoryLimit = 1e9) {
  const faults: string[] = [];
  const app = createEdgeApp({
    ort,
    source: folderSource(directory),
    memoryLimit,
    facts: deltaFacts(place, options),
    api: { onError: (error) => faults.push(`${error}`) },
  });
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}) => {
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await app.fetch(
      new Request(`https://worker${path}`, {
        ...post,
        headers: { 'content-type': 'application/json', ...headers },
      }),
    );
    return {
      status: response.status,
      epoch: response.headers.get('fuzzqe-epoch'),
      body: JSON.parse(await response.text()),
    };
  };
  /** The recorded tails of a link. */
  const recorded = async (query: string, headers: Record<string, string> = {}) => {
    const { status, epoch, body } = await ask('/v1/query', { query, k: 40 }, headers);
    const answers = body.answers as { readonly key: string; readonly state: string }[] | undefined;
    const keys = answers?.filter(({ state }) => state === 'recorded').map(({ key }) => key);
    return { status, epoch, keys: new Set(keys), detail: body.detail as string | undefined };
  };
  return { ask, recorded, faults };
}

describe('a delta at the edge', () => {
  it('is part of the first answer, with what it creates, and golden cases are of the facts as opened', async () => {
    const text =
      batch(1, [add('e0', 'r0', 'e1'), add('new', 'r0', 'e2')], { entities: ['new'] }) +
      batch(3, [add('e3', 'r1', 'new', { confidence: 0.5 }), add('e0', 'r0', 'e1', { does: 'remove' })]);
    const { recorded, ask, faults } = appOf(bucketOf(text).place);
    const first = await recorded('project(r0, new)');
    expect(first).toMatchObject({ status: 200, epoch: '3' });
    expect(first.keys).toEqual(new Set(['e2']));
    expect((await recorded('project(r1, e3)')).keys.has('new')).toBe(true);
    expect((await recorded('project(r0, e0)')).keys.has('e1')).toBe(false);
    expect(await ask('/readyz')).toMatchObject({ status: 200, body: { ready: true } });
    expect(faults).toEqual([]);
    const without = appOf(bucketOf(undefined).place);
    const unknown = await without.recorded('project(r0, new)');
    expect(unknown).toMatchObject({ status: 422, epoch: '0' });
  });

  it('says when facts hold, and questions with a date have the answers that a server gives', async () => {
    const changes = [
      add('e0', 'r0', 'e1', { from: '1990' }),
      add('e0', 'r0', 'e2', { until: '1990' }),
      add('e1', 'r0', 'e3', { from: '1980', until: '1990' }),
    ];
    const { ask } = appOf(bucketOf(batch(1, changes)).place);
    const engine = await openServingEngine({ directory: bundle.directory, workers: 0 });
    await engineFacts(engine).change([{ epoch: 1, at, changes }]);
    const bodies = await Promise.all(
      ['1979', '1985', '1990', undefined].map(async (date) => {
        const options = { k: 40, minDegree: 0, ...(date === undefined ? {} : { at: date }) };
        const text = 'project(r0, project(r0, e0))';
        const { body } = await ask('/v1/query', { query: text, ...options });
        const { answers } = await engine.answer(parseQueryText(text, engine.vocabulary), options);
        const shown = (each: { key: string; state: string; degree: number }): string =>
          `${each.key} ${each.state} ${each.degree.toFixed(4)}`;
        expect(body.answers.map(shown)).toEqual(answers.map(shown));
        return JSON.stringify(body.answers);
      }),
    );
    expect(new Set(bodies).size).toBe(4);
    await engine.close();
  });

  it('is looked at again when its time has come, or when a request needs a later epoch', async () => {
    const bucket = bucketOf(batch(1, [add('e0', 'r0', 'e1')]));
    const { recorded, faults } = appOf(bucket.place, { every: 3_600_000 });
    expect((await recorded('project(r0, e0)')).epoch).toBe('1');
    bucket.text += batch(2, [add('e0', 'r0', 'e2')]);
    expect((await recorded('project(r0, e0)')).epoch).toBe('1');
    const later = await recorded('project(r0, e0)', { 'fuzzqe-at-least': '2' });
    expect(later).toMatchObject({ status: 200, epoch: '2' });
    expect(later.keys.has('e2')).toBe(true);
    expect(await recorded('project(r0, e0)', { 'fuzzqe-at-least': '3' })).toMatchObject({
      status: 503,
      detail: expect.stringContaining('at epoch 2, and not yet at 3'),
    });
    expect((await recorded('project(r0, e0)', { 'fuzzqe-at-least': 'x' })).status).toBe(400);
    // What has not changed is asked for, and not read.
    expect(bucket).toMatchObject({ asked: 3, read: 2 });
    const always = appOf(bucket.place, { every: 0 });
    await always.recorded('project(r0, e0)');
    bucket.text += batch(3, [add('e0', 'r0', 'e3')]);
    await expect.poll(async () => (await always.recorded('project(r0, e0)')).epoch).toBe('3');
    // The epoch that did not come.
    expect(faults).toEqual([expect.stringContaining('expected epoch 3, got 2')]);
  });

  it('is looked at again if the clock runs backwards', async () => {
    const bucket = bucketOf(batch(1, [add('e0', 'r0', 'e1')]));
    const { recorded } = appOf(bucket.place, { every: 3_600_000 });
    expect((await recorded('project(r0, e0)')).epoch).toBe('1');
    bucket.text += batch(2, [add('e0', 'r0', 'e2')]);
    expect((await recorded('project(r0, e0)')).epoch).toBe('1');
    const past = Date.now() - 7_200_000;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => past);
    await expect.poll(async () => (await recorded('project(r0, e0)')).epoch).toBe('2');
    clock.mockRestore();
  });

  it('that is bad leaves the facts so far, and is said', async () => {
    const good = batch(1, [add('e0', 'r0', 'e1')]) + batch(2, [add('e0', 'r0', 'e2')]);
    const bucket = bucketOf(good);
    const { recorded, faults } = appOf(bucket.place, { every: 0 });
    await recorded('project(r0, e0)');
    for (const [text, fault] of [
      [good + batch(3, [add('nobody', 'r0', 'e1')]), /facts of epoch 3: entity: .*nobody/],
      [batch(1, [add('e0', 'r0', 'e1')]), /expected epoch 2 or later, got 1/],
      [`${good}{"epoch": 3`, /breaks off/],
      [good + batch(2, [add('e0', 'r0', 'e3')]), /expected an epoch above 2, got 2/],
      [undefined, /expected changes up to epoch 2, got none/],
    ] as const) {
      faults.length = 0;
      bucket.text = text;
      const heard = async () => {
        await recorded('project(r0, e0)');
        return faults.join('\n');
      };
      await expect.poll(heard, { timeout: 10_000 }).toMatch(fault);
      expect(await recorded('project(r0, e0)')).toMatchObject({ status: 200, epoch: '2' });
    }
  });

  it('changes the confidences of imported facts, and no others', async () => {
    const rated = await tinyBundle('tiny', ['int8-basis'], 'workers', { confidence: 0.25 });
    const [head, relation, tail] = [rated.first[0]!, rated.first[1]! / 2, rated.first[2]!];
    const bucket = bucketOf(batch(1, [add('e0', 'r0', 'e1', { confidence: 0.5 })]));
    const { ask } = appOf(bucket.place, { every: 0 }, rated.directory);
    const degreeOf = async (from: string, along: string, to: string) => {
      const { body } = await ask('/v1/query', { query: `project(${along}, ${from})`, k: 40 });
      return body.answers.find(({ key }: { readonly key: string }) => key === to);
    };
    const first = () => degreeOf(`e${head}`, `r${relation}`, `e${tail}`);
    expect(await first()).toMatchObject({ state: 'recorded', degree: 0.25 });
    expect(await degreeOf('e0', 'r0', 'e1')).toMatchObject({ state: 'recorded', degree: 0.5 });
    bucket.text += batch(2, [add(`e${head}`, `r${relation}`, `e${tail}`, { confidence: 0.75 })]);
    await expect.poll(first).toMatchObject({ state: 'recorded', degree: 0.75 });
    await rm(rated.directory, { recursive: true, force: true });
  });

  it('that takes more memory than the bundle leaves is refused, and the facts so far stay', async () => {
    const manifest = JSON.parse(await readFile(join(bundle.directory, 'manifest.json'), 'utf8')) as Manifest;
    const { total } = edgeMemory(manifest, profileOf(manifest, 'int8-basis'));
    const first = batch(1, [add('e0', 'r0', 'e1')]);
    const both = first + batch(2, [add('e0', 'r0', 'e2')]);
    const limit = total + 6 * (both.length - 1);
    const bucket = bucketOf(first);
    const { recorded, faults } = appOf(bucket.place, { every: 0 }, bundle.directory, limit);
    expect((await recorded('project(r0, e0)')).epoch).toBe('1');
    bucket.text = both;
    const heard = async () => {
      await recorded('project(r0, e0)');
      return faults.join();
    };
    await expect.poll(heard).toContain(`at most ${both.length - 1} bytes of changes, got more`);
    expect((await recorded('project(r0, e0)')).epoch).toBe('1');
    const larger = appOf(bucketOf(both).place, {}, bundle.directory, limit + 6);
    expect((await larger.recorded('project(r0, e0)')).epoch).toBe('2');
    expect(
      (await appOf(bucketOf(both).place, {}, bundle.directory, limit).recorded('project(r0, e0)')).status,
    ).toBe(500);
  });

  it('that cannot be read refuses the first answers, and is read anew', async () => {
    let isAway = true;
    const { place } = bucketOf(batch(1, [add('e0', 'r0', 'e1')]));
    const { recorded, ask } = appOf({
      name: 'KV',
      read: (known) => (isAway ? Promise.reject(new Error('no network')) : place.read(known)),
    });
    expect((await recorded('project(r0, e0)')).status).toBe(503);
    expect((await ask('/readyz')).status).toBe(503);
    isAway = false;
    await expect.poll(async () => (await recorded('project(r0, e0)')).status, { timeout: 5000 }).toBe(200);
  });

  it('needs a bundle with facts', async () => {
    const manifest = JSON.parse(await readFile(join(bundle.directory, 'manifest.json'), 'utf8')) as Manifest;
    const memory = edgeMemory(manifest, profileOf(manifest, 'int8-basis')).total - 1;
    const small = await tinyBundle('tiny', ['int8-basis'], 'workers', { memory });
    const { recorded, faults } = appOf(bucketOf(undefined).place, {}, small.directory);
    expect((await recorded('project(r0, e0)')).status).toBe(500);
    expect(faults.join()).toContain('facts: expected a bundle with facts, got tiny without');
    await rm(small.directory, { recursive: true, force: true });
  });

  it('of KV is read whole only if its metadata have another epoch', async () => {
    const values: (string | undefined)[] = [];
    let metadata: unknown = { epoch: 1 };
    const place = kvDelta(
      { getWithMetadata: async (key) => ({ value: key === 'facts' ? streamOf('x') : null, metadata }) },
      'facts',
    );
    const read = async (known: string | undefined) => {
      const found = await place.read(known);
      values.push(found?.body && (await new Response(found.body).text()));
      return found?.version;
    };
    expect([await read(undefined), await read('1')]).toEqual(['1', '1']);
    metadata = { epoch: '2' };
    expect(await read('1')).toBe('2');
    metadata = null;
    expect(await read('2')).toBe(undefined);
    expect(values).toEqual(['x', undefined, 'x', 'x']);
  });
});

it.each<[string, unknown[]]>([
  ['$.place', []],
  ['$.place', [{}]],
  ['$.every', [{ read: () => undefined }, { every: -1 }]],
  ['$.evry', [{ read: () => undefined }, { evry: 1 }]],
])('is refused where %s is wrong', (path, given) => {
  expect(() => deltaFacts(...(given as [DeltaPlace, DeltaOptions]))).toThrow(
    expect.objectContaining({ code: 'usage', path }),
  );
});
