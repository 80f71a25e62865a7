import { setTimeout as sleep } from 'node:timers/promises';
import { parseQueryText } from '@fuzzqe/core/query';
import { type Engine, openEngine } from '@fuzzqe/engine';
import { memoryBundle, referenceSessions } from '@fuzzqe/engine/testing';
import { describe, expect, it } from 'vitest';
import { createApp, createModelRegistry } from '../index.ts';

const query = 'and(project(r0, e1), not(project(r1, e2)))';
const body = JSON.stringify({ query, k: 3 });
const json = { 'content-type': 'application/json' };

describe('a model that is replaced under load', () => {
  it('drops no request, answers by one version or the other, and closes the former', async () => {
    const { source, config, parameters } = await memoryBundle();
    const inner = await openEngine({ source, sessions: referenceSessions(config, parameters) });
    const result = await inner.answer(parseQueryText(query, inner.vocabulary), { k: 3 });
    /** An engine that answers after a while, and says how often it was asked after it was closed. */
    const open = (): { engine: Engine; closed: () => boolean; late: () => number } => {
      let [closed, late] = [false, 0];
      const answer = async (): Promise<unknown> => {
        await sleep(Math.random() * 4);
        if (closed) late++;
        return result;
      };
      const engine: Engine = {
        ...inner,
        // The options of this test are those of the mode.
        answer: answer as Engine['answer'],
        get ready() {
          return !closed;
        },
        close() {
          closed = true;
          return Promise.resolve();
        },
      };
      return { engine, closed: () => closed, late: () => late };
    };
    const models = createModelRegistry();
    const versions = [open()];
    await models.put('m', versions[0]!.engine, '1');
    const app = createApp(models);
    let [running, stop] = [0, false];
    const statuses = new Map<number, number>();
    const answers = new Set<string>();
    const count = (status: number): unknown => statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const client = async (path: string, type: string): Promise<void> => {
      running++;
      while (!stop) {
        const response = await app.request(path, { method: 'POST', headers: { 'content-type': type }, body });
        count(response.status);
        const text = await response.text();
        answers.add(type === 'application/json' ? text : JSON.stringify(JSON.parse(text).answer));
      }
      running--;
    };
    const clients = [
      ...Array.from({ length: 8 }, () => client('/v1/query', 'application/json')),
      ...Array.from({ length: 4 }, () => client('/v1/models/m/query', 'application/json')),
      ...Array.from({ length: 4 }, () => client('/v1/query/batch', 'application/x-ndjson')),
    ];
    for (let version = 2; version <= 12; version++) {
      const next = open();
      versions.push(next);
      // Each is asked before the next one comes, however busy the machine is.
      for (const before = statuses.get(200) ?? 0; (statuses.get(200) ?? 0) < before + 20; ) await sleep(1);
      // Every third time the former version comes back while it still answers.
      const replaced = models.put('m', next.engine, String(version));
      if (version % 3 === 0) {
        const former = versions.at(-2)!;
        if (!former.closed()) {
          await models.put('m', former.engine, String(version - 1));
          versions.splice(-2, 2, next, former);
          expect(next.closed()).toBe(true);
        }
      }
      await replaced;
    }
    expect(running).toBe(16);
    stop = true;
    await Promise.all(clients);
    expect([...statuses.keys()]).toEqual([200]);
    expect(answers.size).toBe(1);
    expect(versions.map(({ late }) => late())).toEqual(versions.map(() => 0));
    expect(versions.filter(({ closed }) => !closed())).toHaveLength(1);
    await models.close();
    expect(versions.every(({ closed }) => closed())).toBe(true);
    const refused = await app.request('/v1/query', { method: 'POST', headers: json, body });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  });
});
