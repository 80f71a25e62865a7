import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { schema } from '@fuzzqe/core';
import type { FactBatch } from '@fuzzqe/facts';
import type { Terminal } from '../../terminal/terminal.ts';
import { factsServer } from './facts-server.ts';
import { isFactsStore, withFactsStore } from './facts-store.ts';

/** What `fuzzqe facts log` was told. */
export interface LogFlags {
  readonly since: number;
  readonly keyFile?: string;
  readonly json?: boolean;
}

const batch = schema.partOf({
  epoch: schema.integer({ min: 1 }),
  at: schema.string,
  by: schema.optional(schema.string),
  changes: schema.array(
    schema.partOf({
      does: schema.oneOf(['add', 'remove']),
      head: schema.string,
      relation: schema.string,
      tail: schema.string,
      source: schema.optional(schema.string),
    }),
  ),
});

type Batch = Pick<FactBatch, 'epoch' | 'at' | 'by' | 'changes'>;

/** Does `fuzzqe facts log`. */
export async function listChanges(terminal: Terminal, address: string, flags: LogFlags): Promise<void> {
  let batches = 0;
  const list = (line: string, { epoch, at, by, changes }: Batch): void => {
    batches += 1;
    if (flags.json) {
      terminal.out(line);
      return;
    }
    terminal.out(`Epoch ${epoch}, ${at}${by === undefined ? '' : `, by ${by}`}`);
    for (const { does, head, relation, tail, source } of changes)
      terminal.out(
        `  ${does === 'add' ? '+' : '-'} ${head}  ${relation}  ${tail}${source === undefined ? '' : `  (${source})`}`,
      );
  };
  if (await isFactsStore(address))
    await withFactsStore(terminal, address, async (store) => {
      // Keys of idempotency are the writer's own.
      for await (const { idempotencyKey: _, ...found } of store.since(flags.since))
        list(JSON.stringify(found), found);
    });
  else
    for await (const [line, path] of linesOf(address, flags))
      list(line, schema.parseJson(batch, line, { code: 'runtime', what: 'changes', path }));
  if (batches === 0 && !flags.json) terminal.note(`No changes since epoch ${flags.since}.`);
}

async function* linesOf(
  address: string,
  flags: LogFlags,
): AsyncGenerator<readonly [line: string, path: string]> {
  const server = await factsServer(address, flags, process.env);
  const { body } = await server.ask(`?since=${flags.since}`);
  // Node's streams of fetch are those of `stream/web`.
  const input = Readable.fromWeb((body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>);
  for await (const line of createInterface({ input })) yield [line, server.url];
}
