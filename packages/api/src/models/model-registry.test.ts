import type { Engine } from '@fuzzqe/engine';
import { describe, expect, it } from 'vitest';
import { createModelRegistry } from './model-registry.ts';

/** An engine of which only its end matters. */
function fakeEngine(): Engine & { readonly closings: number } {
  let closings = 0;
  const engine = {
    get closings() {
      return closings;
    },
    get ready() {
      return closings === 0;
    },
    close: () => {
      closings++;
      return Promise.resolve();
    },
  };
  // The registry looks at nothing else.
  return engine as unknown as Engine & { readonly closings: number };
}

const settled = async (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(() => true),
    new Promise<false>((resolve) => setImmediate(() => resolve(false))),
  ]);

describe('a registry of models', () => {
  it('gives the first name by default and each model by its name', async () => {
    const models = createModelRegistry();
    const [a, b] = [fakeEngine(), fakeEngine()];
    await models.put('a', a);
    await models.put('b', b, '7');
    expect(models.acquire().engine).toBe(a);
    expect(models.acquire('b')).toMatchObject({ name: 'b', version: '7', engine: b });
    expect(models.names).toEqual(['a', 'b']);
  });

  it('refuses unknown names as not found, and expected ones as not there yet', async () => {
    const models = createModelRegistry(['a']);
    expect(() => models.acquire('b')).toThrow(expect.objectContaining({ code: 'not-found' }));
    expect(() => models.acquire('a')).toThrow(expect.objectContaining({ code: 'runtime' }));
    expect(() => models.acquire()).toThrow(expect.objectContaining({ code: 'runtime' }));
    expect(models.ready).toBe(false);
    await models.put('a', fakeEngine());
    expect(models.ready).toBe(true);
    expect(models.acquire().name).toBe('a');
  });

  it('cannot tell an unknown name from one that comes before it has any', async () => {
    const models = createModelRegistry();
    for (const name of [undefined, 'a'])
      expect(() => models.acquire(name)).toThrow(expect.objectContaining({ code: 'runtime', passing: true }));
    await models.put('a', fakeEngine());
    expect(() => models.acquire('b')).toThrow(expect.objectContaining({ code: 'not-found' }));
  });

  it('closes a replaced version when its last lease ends, and no earlier', async () => {
    const models = createModelRegistry();
    const [one, two] = [fakeEngine(), fakeEngine()];
    await models.put('a', one, '1');
    const first = models.acquire();
    const second = first.retain();
    const replaced = models.put('a', two, '2');
    expect(models.acquire()).toMatchObject({ version: '2', engine: two });
    first.release();
    first.release();
    expect(await settled(replaced)).toBe(false);
    expect(one.closings).toBe(0);
    second.release();
    expect(await settled(replaced)).toBe(true);
    expect([one.closings, two.closings]).toEqual([1, 0]);
  });

  it('goes back to a version that is still in use without opening it again', async () => {
    const models = createModelRegistry();
    const [one, two] = [fakeEngine(), fakeEngine()];
    await models.put('a', one, '1');
    const lease = models.acquire();
    const replaced = models.put('a', two, '2');
    await models.put('a', one, '1');
    await replaced;
    lease.release();
    expect([one.closings, two.closings]).toEqual([0, 1]);
    expect(models.acquire().engine).toBe(one);
  });

  it('tells who watches of each engine that it holds, once, and before it is closed', async () => {
    const models = createModelRegistry();
    const [one, two] = [fakeEngine(), fakeEngine()];
    await models.put('a', one, '1');
    const seen: string[] = [];
    models.watch({
      held: ({ name, version }) => seen.push(`${name} ${version} held`),
      left: ({ name, version, engine }) =>
        seen.push(`${name} ${version} left, ${engine.ready ? 'open' : 'closed'}`),
    });
    expect(seen.splice(0)).toEqual(['a 1 held']);
    const lease = models.acquire();
    const replaced = models.put('a', two, '2');
    expect(seen.splice(0)).toEqual(['a 2 held']);
    // It has not left: it answers its last request.
    await models.put('a', one, '1');
    expect(seen.splice(0)).toEqual(['a 2 left, open']);
    lease.release();
    await replaced;
    await models.close();
    expect(seen).toEqual(['a 1 left, open']);
  });

  it('refuses an engine that is closed, or that answers under another name or version', async () => {
    const models = createModelRegistry();
    const [one, two] = [fakeEngine(), fakeEngine()];
    await models.put('a', one, '1');
    await models.put('a', two, '2');
    await expect(models.put('a', one, '1')).rejects.toMatchObject({ code: 'usage' });
    await expect(models.put('b', two, '2')).rejects.toMatchObject({ code: 'usage' });
    await expect(models.put('a', two, '3')).rejects.toMatchObject({ code: 'usage' });
    await models.put('a', two, '2');
    expect(two.closings).toBe(0);
  });

  it('takes a name away, and waits at the end for what is in use', async () => {
    const models = createModelRegistry();
    const [a, b, c] = [fakeEngine(), fakeEngine(), fakeEngine()];
    await models.put('a', a);
    await models.put('b', b);
    await models.remove('a');
    expect(a.closings).toBe(1);
    expect(() => models.acquire('a')).toThrow('no such model');
    const old = models.acquire('b');
    const replaced = models.put('b', c);
    const last = models.acquire('b');
    const closing = models.close();
    expect(() => models.acquire('b')).toThrow('closed');
    last.release();
    expect(await settled(closing)).toBe(false);
    old.release();
    await Promise.all([closing, replaced]);
    expect([b.closings, c.closings]).toEqual([1, 1]);
    await models.close();
    expect([b.closings, c.closings]).toEqual([1, 1]);
  });
});
