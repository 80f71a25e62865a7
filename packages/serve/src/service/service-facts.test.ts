import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryBundle } from '@fuzzqe/engine/testing';
import { exportMemoryBundle } from '@fuzzqe/parity/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createAccessKey } from '../access/access-keys.ts';
import { readSettings } from '../settings/read-settings.ts';
import { createLog } from '../telemetry/log.ts';
import { type Service, startService } from './start-service.ts';

let folder = '';
let bundle = '';
const services: Service[] = [];
const lines: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fuzzqe-facts-'));
  bundle = join(folder, 'tiny', '1');
  await exportMemoryBundle(bundle, await memoryBundle(), { profiles: ['fp32'], golden: 2 });
});
afterEach(() => Promise.all(services.splice(0).map((service) => service.close())));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(
  flags: Record<string, string>,
  bundles = [join(folder, 'tiny')],
  factsKey?: string,
): Promise<Service> {
  const settings = await readSettings({
    flags: { port: '0', workers: '1', closeNotice: '0', facts: join(folder, 'facts'), ...flags },
    environment: {},
  });
  const log = createLog({ write: (text) => void lines.push(text) });
  const service = await startService({ bundles, settings, log, factsKey });
  services.push(service);
  return service;
}

const json = { 'content-type': 'application/json' };
const write = (url: string, fact: object, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/v1/facts`, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(fact) });
const stateOf = async (url: string, tail: string): Promise<string | undefined> => {
  const asked = { query: 'project(r0, e1)', k: 12 };
  const response = await fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(asked),
  });
  const { answers } = (await response.json()) as { answers: { key: string; state: string }[] };
  return answers.find(({ key }) => key === tail)?.state;
};

it('facts are answered at once, in worker threads too, by another version of the bundle, and after another start', async () => {
  const first = await start({});
  const [engine] = await first.opened;
  const head = engine!.vocabulary.findEntity('e1');
  const isThere = new Set(engine!.facts.tails(head, 0));
  const tail = [...new Array(engine!.facts.entityCount).keys()].find((id) => id !== head && !isThere.has(id));
  const name = engine!.vocabulary.entity(tail!).key;
  expect(await stateOf(first.url, name)).not.toBe('recorded');
  const fact = { head: 'e1', relation: 'r0', tail: name };
  expect(await (await write(first.url, fact)).json()).toEqual({
    epoch: 1,
    added: 1,
    removed: 0,
    unchanged: 0,
  });
  expect(await stateOf(first.url, name)).toBe('recorded');

  await exportMemoryBundle(join(folder, 'tiny', '2'), await memoryBundle(), {
    profiles: ['fp32'],
    golden: 2,
  });
  await first.reload();
  const { models } = (await (await fetch(`${first.url}/v1/models`)).json()) as {
    models: { version: string }[];
  };
  expect(models.map(({ version }) => version)).toEqual(['2']);
  expect(await stateOf(first.url, name)).toBe('recorded');
  const many = Array.from({ length: 40 }, (_, i) =>
    write(first.url, { ...fact, does: i % 2 === 0 ? 'remove' : 'add' }),
  );
  expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([200]));
  const other = await start({}).catch((error: unknown) => error);
  expect(other).toMatchObject({ code: 'runtime' });
  await first.close();

  const second = await start({});
  await second.opened;
  const log = await fetch(`${second.url}/v1/facts?since=0`);
  expect(log.headers.get('fuzzqe-epoch')).toBe('41');
  const batches = (await log.text()).trim().split('\n');
  // The last that was written is what holds, in whatever order the requests came.
  const { changes } = JSON.parse(batches.at(-1)!) as { changes: { does: string }[] };
  const removed = changes[0]!.does === 'remove';
  expect(batches).toHaveLength(41);
  expect((await stateOf(second.url, name)) === 'recorded').toBe(!removed);
});

it('only keys with the role write change facts, and the log says which', async () => {
  const [ann, bob] = ['ann', 'bob'].map((name) => createAccessKey(name));
  const keys = join(folder, 'keys.txt');
  await writeFile(keys, `${ann!.line}\n${bob!.line} write\n`);
  const { url, opened } = await start({ keys, facts: join(folder, 'more') });
  await opened;
  const by = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
  const fact = { head: 'e1', relation: 'r0', tail: 'e1' };
  expect((await write(url, fact)).status).toBe(401);
  const refused = await write(url, fact, by(ann!.key));
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('--write')]);
  const written = await write(url, fact, by(bob!.key));
  expect([written.status, written.headers.get('fuzzqe-epoch')]).toEqual([200, '1']);
  const log = await fetch(`${url}/v1/facts`, { headers: by(ann!.key) });
  expect(JSON.parse(await log.text())).toMatchObject({ epoch: 1, by: 'bob' });
});

it('names change at once in answers of worker threads, by another version of the bundle and after another start, by keys that may write', async () => {
  const [ann, bob] = ['ann', 'bob'].map((name) => createAccessKey(name));
  const keys = join(folder, 'name-keys.txt');
  await writeFile(keys, `${ann!.line}\n${bob!.line} write\n`);
  const versions = join(folder, 'named');
  await exportMemoryBundle(join(versions, '1'), await memoryBundle(), { profiles: ['fp32'], golden: 2 });
  const by = (key: string): Record<string, string> => ({ ...json, authorization: `Bearer ${key}` });
  const facts = join(folder, 'names');
  const first = await start({ keys, facts }, [versions]);
  await first.opened;
  const label = async (text: string, headers: Record<string, string>): Promise<[number, string]> => {
    const body = JSON.stringify({ entity: 'e1', label: text, attributes: { size: 3 } });
    const response = await fetch(`${first.url}/v1/entities`, { method: 'PATCH', headers, body });
    return [response.status, await response.text()];
  };
  expect((await label('Uno', json))[0]).toBe(401);
  expect(await label('Uno', by(ann!.key))).toEqual([403, expect.stringContaining('--write')]);
  expect(await label('One', by(bob!.key))).toEqual([200, '{"epoch":1,"changed":1}']);
  /** The label and the attributes of the entity, and its label among answers. */
  const seen = async ({ url }: Service): Promise<unknown> => {
    const headers = by(ann!.key);
    const body = JSON.stringify({ query: 'One', k: 1 });
    const answer = await (await fetch(`${url}/v1/query`, { method: 'POST', headers, body })).json();
    const page = await (await fetch(`${url}/v1/entities/One?predicted=0`, { headers })).json();
    return [page.label, page.attributes.results[0].value, answer.answers[0].label];
  };
  expect(await seen(first)).toEqual(['One', '3', 'One']);
  await exportMemoryBundle(join(versions, '2'), await memoryBundle(), { profiles: ['fp32'], golden: 2 });
  await first.reload();
  expect(await seen(first)).toEqual(['One', '3', 'One']);
  const log = await fetch(`${first.url}/v1/facts`, { headers: by(ann!.key) });
  expect(JSON.parse(await log.text())).toMatchObject({ epoch: 1, by: 'bob', names: [{ key: 'e1' }] });
  await first.close();
  const second = await start({ keys, facts }, [versions]);
  await second.opened;
  expect(await seen(second)).toEqual(['One', '3', 'One']);
});

it('a server whose facts are an address follows the server there by a key, also with another bundle', async () => {
  const [ann, bob] = ['ann', 'bob'].map((name) => createAccessKey(name));
  const keys = join(folder, 'fleet.txt');
  await writeFile(keys, `${ann!.line}\n${bob!.line} write\n`);
  const writer = await start({ keys, facts: join(folder, 'fleet') });
  await writer.opened;
  await expect(start({ facts: writer.url })).rejects.toMatchObject({ code: 'config' });
  const versions = join(folder, 'versions');
  await exportMemoryBundle(join(versions, '1'), await memoryBundle(), { profiles: ['fp32'], golden: 2 });
  const follower = await start({ facts: writer.url }, [versions], ann!.key);
  await follower.opened;
  const add = async (tail: string): Promise<Record<string, string>> => {
    const by = { authorization: `Bearer ${bob!.key}` };
    const { headers } = await write(writer.url, { head: 'e1', relation: 'r0', tail }, by);
    return { 'fuzzqe-at-least': headers.get('fuzzqe-epoch')!, 'fuzzqe-store': headers.get('fuzzqe-store')! };
  };
  const page = async (headers: Record<string, string>): Promise<string> => {
    const response = await fetch(`${follower.url}/v1/entities/e1?recorded=50`, { headers });
    expect(response.status).toBe(200);
    return await response.text();
  };
  expect(await page(await add('e1'))).toContain('"key":"e1"');
  await exportMemoryBundle(join(versions, '2'), await memoryBundle(), { profiles: ['fp32'], golden: 2 });
  await follower.reload();
  const at = await add('e2');
  await page(at);
  expect(await stateOf(follower.url, 'e1')).toBe('recorded');
  expect(await stateOf(follower.url, 'e2')).toBe('recorded');
  const refused = await write(follower.url, { head: 'e1', relation: 'r0', tail: 'e3' });
  expect([refused.status, refused.headers.get('location')]).toEqual([421, `${writer.url}/v1/facts`]);
  expect(lines.join('')).not.toContain(ann!.key);
});

it.each([
  ['on an address that others reach', { host: '0.0.0.0' }],
  ['for pages of any origin', { cors: '*' }],
])('without keys, a server %s takes no writes', async (_, flags) => {
  const { url, opened } = await start({ ...flags, facts: join(folder, 'open') });
  await opened;
  const response = await write(url.replace('0.0.0.0', '127.0.0.1'), {
    head: 'e1',
    relation: 'r0',
    tail: 'e2',
  });
  expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('--keys')]);
});

it('facts need one bundle', async () => {
  const facts = join(folder, 'one');
  await expect(start({ facts }, [bundle, bundle])).rejects.toMatchObject({ code: 'usage', path: '--facts' });
  const service = await start({ facts }, [bundle]);
  await service.opened;
  await expect(service.open(bundle)).rejects.toMatchObject({ code: 'usage', path: '--facts' });
});
