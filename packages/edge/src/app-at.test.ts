import { rm } from 'node:fs/promises';
import { parseQueryText } from '@fuzzqe/core/query';
import { tinyBundle } from '@fuzzqe/parity/testing';
import { folderSource, openServingEngine } from '@fuzzqe/serve';
import * as ort from 'onnxruntime-web';
import { expect, it } from 'vitest';
import { createEdgeApp } from './app.ts';

it('answers a question with a date by imported facts that hold then, as a server does', async () => {
  const facts = Array.from({ length: 40 * 3 * 40 }, (_, i) => [
    Math.floor(i / 120),
    2 * (Math.floor(i / 40) % 3),
    i % 40,
  ]);
  const { directory } = await tinyBundle('dated', ['fp32'], 'node', {
    provenances: {
      stated: [{ source: 'atlas' }, { from: '1990' }, { until: '1990' }, { from: '1980', until: '2000' }],
      triples: Int32Array.from(facts.flat()),
      places: Int32Array.from(facts, (_, i) => i % 4),
    },
  });
  const app = createEdgeApp({ ort, source: folderSource(directory) });
  const engine = await openServingEngine({ directory, workers: 0 });
  const found = new Set<string>();
  for (const date of [undefined, '1979', '1985', '1995', '2001']) {
    const options = { k: 40, minDegree: 0, ...(date === undefined ? {} : { at: date }) };
    const query = 'project(r1, project(r0, e0))';
    const request = { method: 'POST', body: JSON.stringify({ query, ...options }) };
    const headers = { 'content-type': 'application/json' };
    const response = await app.fetch(new Request('https://worker/v1/query', { ...request, headers }));
    const body = (await response.json()) as Awaited<ReturnType<typeof engine.answer>>;
    const answer = await engine.answer(parseQueryText(query, engine.vocabulary), options);
    const shown = ({ answers, warnings }: typeof body): string =>
      JSON.stringify([
        answers.map((each) => ('degree' in each ? [each.key, each.state, each.degree.toFixed(4)] : [])),
        warnings,
      ]);
    expect(shown(body)).toBe(shown(answer));
    found.add(shown(body));
  }
  expect(found.size).toBe(5);
  await engine.close();
  await rm(directory, { recursive: true });
});
