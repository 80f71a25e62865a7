import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FactStore, openSparqlFacts } from '@fuzzqe/facts';
import { batchesOf, describeFactStore } from '@fuzzqe/facts/testing';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { freePort } from './free-port.ts';

/** The program `oxigraph`; without, its server is not tested. */
const program = process.env['FUZZQE_TEST_OXIGRAPH'];

if (program === undefined)
  it.skip(
    "Oxigraph's server is not there: test/indexes/run-indexes.sh brings it, FUZZQE_TEST_OXIGRAPH names it",
  );
else {
  const servers = new Set<ChildProcess>();
  const kill = async (server: ChildProcess): Promise<void> => {
    servers.delete(server);
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  const killAll = async (): Promise<void> => {
    await Promise.all([...servers].map(kill));
  };
  afterEach(killAll);
  const folder = mkdtempSync(join(tmpdir(), 'fuzzqe-oxigraph-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let folders = 0;

  const start = async (port: number, location: string): Promise<ChildProcess> => {
    const args = ['serve', '--bind', `127.0.0.1:${port}`, '--location', location];
    const server = spawn(program, args, { stdio: 'ignore' });
    servers.add(server);
    await expect
      .poll(() =>
        fetch(`http://127.0.0.1:${port}/`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      .toBe(true);
    return server;
  };
  const addresses = new Map<string, string>();
  const again = (store: FactStore) => openSparqlFacts(addresses.get(store.id)!, { pollEvery: 20 });
  const begin = async () => {
    const [port, location] = [await freePort(), join(folder, `${++folders}`)];
    const server = await start(port, location);
    const address = `sparql+http://127.0.0.1:${port}/query`;
    const store = await openSparqlFacts(address, { pollEvery: 20 });
    addresses.set(store.id, address);
    return { store, server, port, location };
  };

  describeFactStore(
    "in Oxigraph's server",
    { describe, it, expect },
    { open: async () => (await begin()).store, reopen: again, openAgain: again },
  );

  describe("facts in Oxigraph's server", () => {
    it('survive that it is killed: no batch that was told to be durable is lost, none is there twice', async () => {
      const { store, server, port, location } = await begin();
      const told: { readonly epoch: number; readonly tail: string }[] = [];
      let isOn = true;
      let next = 0;
      const refused: unknown[] = [];
      const write = async (): Promise<void> => {
        while (isOn) {
          const tail = `${next++}`;
          const changes = [{ does: 'add' as const, head: 'h', relation: 'r', tail }];
          await store.append({ at: '2026-11-28T12:00:00Z', changes }).then(
            (epoch) => told.push({ epoch, tail }),
            async (error: unknown) => {
              refused.push(error);
              await new Promise((resolve) => setTimeout(resolve, 20));
            },
          );
        }
      };
      const writers = Array.from({ length: 4 }, write);
      await expect.poll(() => told.length).toBeGreaterThan(40);
      await kill(server);
      await expect.poll(() => refused.length).toBeGreaterThan(3);
      await start(port, location);
      const back = told.length;
      await expect.poll(() => told.length).toBeGreaterThan(back + 10);
      isOn = false;
      await Promise.all(writers);
      for (const error of refused) expect(error).toMatchObject({ code: 'storage', passing: true });
      const batches = await batchesOf(store);
      expect(batches.map(({ epoch }) => epoch)).toEqual(batches.map((_, i) => i + 1));
      for (const { epoch, tail } of told) expect(batches[epoch - 1]?.changes[0]?.tail).toBe(tail);
      // The triples are those of the batches.
      const count = await fetch(`http://127.0.0.1:${port}/query`, {
        method: 'POST',
        headers: { 'content-type': 'application/sparql-query', accept: 'text/csv' },
        body: 'SELECT (COUNT(*) AS ?n) { <urn:fuzzqe:entity:h> <urn:fuzzqe:relation:r> ?tail }',
      });
      expect(await count.text()).toBe(`n\r\n${batches.length}\r\n`);
      await store.close();
    });
  });
}
