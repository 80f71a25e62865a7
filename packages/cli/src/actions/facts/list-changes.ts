import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { schema } from '@fuzzqe/core';
import type { KeyedChange } from '@fuzzqe/data';
import { type ChangeKind, changeKinds } from '@fuzzqe/facts';
import type { Terminal } from '../../terminal/terminal.ts';
import { factsServer } from './facts-server.ts';
import { isFactsStore, withFactsStore } from './facts-store.ts';

/** What `fuzzqe facts log` was told. */
export interface LogFlags {
  readonly since: number;
  readonly keyFile?: string | undefined;
  readonly json?: boolean;
}

/** A batch of changes as `/v1/facts` lists it. */
export interface ListedBatch {
  readonly epoch: number;
  readonly at: string;
  readonly by?: string | undefined;
  readonly creates?:
    | {
        readonly entities?: readonly string[] | undefined;
        readonly relations?: readonly string[] | undefined;
      }
    | undefined;
  readonly names?: readonly ListedNames[];
  readonly changes: readonly (KeyedChange & { readonly source?: string | undefined })[];
}

/** What an entity is called from a batch on. */
interface ListedNames {
  readonly key: string;
  readonly label?: string | null;
  readonly aliases?: readonly { readonly text: string }[] | null;
  readonly attributes?: readonly {
    readonly key: string;
    readonly values: readonly { readonly value: string }[] | null;
  }[];
}

/** How a line of `/v1/facts` is read. */
export const batchSchema: schema.Schema<ListedBatch> = schema.partOf({
  epoch: schema.integer({ min: 1 }),
  at: schema.string,
  by: schema.optional(schema.string),
  creates: schema.optional(
    schema.partOf({
      entities: schema.optional(schema.array(schema.string)),
      relations: schema.optional(schema.array(schema.string)),
    }),
  ),
  names: schema.optional(
    schema.array(
      schema.partOf({
        key: schema.string,
        label: schema.optional(schema.nullable(schema.string)),
        aliases: schema.optional(schema.nullable(schema.array(schema.partOf({ text: schema.string })))),
        attributes: schema.optional(
          schema.array(
            schema.partOf({
              key: schema.string,
              values: schema.nullable(schema.array(schema.partOf({ value: schema.string }))),
            }),
          ),
        ),
      }),
    ),
  ),
  changes: schema.array(
    schema.partOf({
      does: schema.oneOf(changeKinds),
      head: schema.string,
      relation: schema.string,
      tail: schema.string,
      source: schema.optional(schema.string),
    }),
  ),
});

/** How a line of a change begins. */
const marks: Readonly<Record<ChangeKind, string>> = { add: '+', remove: '-', reject: '!' };

/** Does `fuzzqe facts log`. */
export async function listChanges(terminal: Terminal, address: string, flags: LogFlags): Promise<void> {
  let batches = 0;
  const list = (line: string, { epoch, at, by, names = [], changes }: ListedBatch): void => {
    batches += 1;
    if (flags.json) {
      terminal.out(line);
      return;
    }
    terminal.out(`Epoch ${epoch}, ${at}${by === undefined ? '' : `, by ${by}`}`);
    for (const each of names) terminal.out(`  ~ ${namesText(each)}`);
    for (const { does, head, relation, tail, source } of changes)
      terminal.out(
        `  ${marks[does]} ${head}  ${relation}  ${tail}${source === undefined ? '' : `  (${source})`}`,
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
      list(line, schema.parseJson(batchSchema, line, { code: 'runtime', what: 'changes', path }));
  if (batches === 0 && !flags.json) terminal.note(`No changes since epoch ${flags.since}.`);
}

/** Names of an entity in one line. */
function namesText({ key, label, aliases, attributes = [] }: ListedNames): string {
  const said = <T>(
    name: string,
    values: readonly T[] | null | undefined,
    textOf: (value: T) => string,
  ): readonly string[] =>
    values === undefined ? [] : [`${name}: ${values?.map(textOf).join(', ') ?? 'as in the bundle'}`];
  return [
    key,
    ...(label === undefined ? [] : [`label: ${label ?? 'as in the bundle'}`]),
    ...said('aliases', aliases, ({ text }) => text),
    ...attributes.flatMap((each) => said(each.key, each.values, ({ value }) => value)),
  ].join('  ');
}

/** The lines of the batches of a server, and where they are from. */
export async function* linesOf(
  address: string,
  flags: LogFlags,
): AsyncGenerator<readonly [line: string, path: string]> {
  const server = await factsServer(address, flags, process.env);
  const { body } = await server.ask(`?since=${flags.since}`);
  // Node's streams of fetch are those of `stream/web`.
  const input = Readable.fromWeb((body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>);
  for await (const line of createInterface({ input })) yield [line, server.url];
}
