import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Engine, openEngine } from '../../index.ts';
import { memoryBundle, referenceSessions } from '../../testing/index.ts';
import { createApp, createModelRegistry } from '../index.ts';

const body = JSON.stringify({ query: 'and(project(r0, e1), not(project(r1, e2)))', k: 3 });
const json = { 'content-type': 'application/json' };

describe('a model that is replaced under load', () => {
  it('drops no request, answers by one version or the other, and closes the former', async () => {
    const bundle = await memoryBundle();
    /** An engine that ends its answers late and says how often it was asked after it was closed. */
    const open = async (): Promise<{ engine: Engine; closed: () => boolean; late: () => number }> => {
      const inner = await openEngine({
        source: bundle.source,
        sessions: referenceSessions(bundle.config, bundle.parameters),
      });
      let [closed, late] = [false, 0];
      const answer = async (...given: Parameters<Engine['answer']>): Promise<unknown> => {
        await sleep(Math.random() * 4);
        if (closed) late++;
        return inner.answer(...given);
      };
      const engine: Engine = {
        ...inner,
        // All forms of the call go on unchanged.
        answer: answer as Engine['answer'],
        get ready() {
          return !closed;
        },
        close() {
          closed = true;
          return inner.close();
        },
      };
      return { engine, closed: () => closed, late: () => late };
    };
    const models = createModelRegistry();
    const versions = [await open()];
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
      const next = await open();
      versions.push(next);
      await sleep(10);
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
    expect(statuses.get(200)).toBeGreaterThan(200);
    expect(answers.size).toBe(1);
    expect(versions.map(({ late }) => late())).toEqual(versions.map(() => 0));
    expect(versions.filter(({ closed }) => !closed())).toHaveLength(1);
    await models.close();
    expect(versions.every(({ closed }) => closed())).toBe(true);
    const refused = await app.request('/v1/query', { method: 'POST', headers: json, body });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  });
});
