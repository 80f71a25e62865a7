import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { FuzzError, schema } from '@fuzzqe/core';
import type { KeyedChange } from '@fuzzqe/data';
import { openFactLog } from '@fuzzqe/facts';
import { pathExists } from '@fuzzqe/files';
import type { Terminal } from '../../terminal/terminal.ts';
import { type FactsServerOptions, factsServer } from './facts-server.ts';
import { batchSchema } from './list-changes.ts';

/**
 * The changes of a log of facts, in order: of a folder that no server has open, or from the server at an address.
 *
 * @throws FuzzError `usage`: no log there. `runtime`: a server has the folder open, or no server answers.
 */
export async function readFactLog(
  terminal: Terminal,
  place: string,
  options: FactsServerOptions,
): Promise<KeyedChange[]> {
  return /^https?:\/\//.test(place) ? changesOfServer(place, options) : changesOfFolder(terminal, place);
}

async function changesOfServer(address: string, options: FactsServerOptions): Promise<KeyedChange[]> {
  const server = await factsServer(address, options, process.env);
  const { body } = await server.ask('?since=0');
  const changes: KeyedChange[] = [];
  // Node's streams of fetch are those of `stream/web`.
  const input = Readable.fromWeb((body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>);
  for await (const line of createInterface({ input }))
    changes.push(
      ...schema.parseJson(batchSchema, line, { code: 'runtime', what: 'changes', path: server.url }).changes,
    );
  return changes;
}

async function changesOfFolder(terminal: Terminal, folder: string): Promise<KeyedChange[]> {
  // Opening makes a log where none is.
  if (!(await pathExists(join(folder, 'store.json'))))
    throw new FuzzError('usage', '--facts: expected the folder of a log of facts, got none', {
      path: folder,
      hint: 'It is the folder of fuzzqe serve --facts; or give the address of that server.',
    });
  const store = await openFactLog(folder, { log: terminal.note }).catch((cause: unknown) => {
    if (!(cause instanceof FuzzError) || cause.code !== 'runtime') throw cause;
    throw new FuzzError('runtime', cause.message, {
      path: folder,
      hint: 'If a server has it open, give the address of the server: --facts http://…',
      cause,
    });
  });
  try {
    const changes: KeyedChange[] = [];
    for await (const batch of store.since(0)) changes.push(...batch.changes);
    return changes;
  } finally {
    await store.close();
  }
}
