import { randomUUID } from 'node:crypto';
import { FuzzError, schema } from '@fuzzqe/core';
import type { Terminal } from '../../terminal/terminal.ts';
import { patiently } from './change-facts.ts';
import { factsServer } from './facts-server.ts';
import { isFactsStore, withFactsStore } from './facts-store.ts';

/** What `fuzzqe facts label` was told. */
export interface LabelFlags {
  readonly alias?: readonly string[];
  readonly keyFile?: string;
  readonly json?: boolean;
}

/** An entity, and its new label. */
export interface NewLabel {
  readonly entity: string;
  readonly label: string | undefined;
}

const answer = schema.partOf({ epoch: schema.integer({ min: 1 }) });

/** Does `fuzzqe facts label`. */
export async function labelEntity(
  terminal: Terminal,
  target: string,
  { entity, label }: NewLabel,
  flags: LabelFlags,
): Promise<void> {
  const { alias: aliases, json } = flags;
  if (label === undefined && aliases === undefined)
    throw new FuzzError('usage', 'label: expected a label or --alias, got none', {
      hint: 'As fuzzqe facts label URL France "French Republic".',
    });
  const idempotencyKey = randomUUID();
  const labelled = label === undefined ? {} : { label };
  const inStore = async (): Promise<number> => {
    const further = aliases?.map((text) => ({ kind: 'alias' as const, language: '', text }));
    const names = [{ key: entity, ...labelled, ...(further === undefined ? {} : { aliases: further }) }];
    const batch = { at: new Date().toISOString(), idempotencyKey, names, changes: [] };
    let epoch = 0;
    await withFactsStore(terminal, target, async (store) => {
      epoch = await patiently(() => store.append(batch));
    });
    return epoch;
  };
  const onServer = async (): Promise<number> => {
    const server = await factsServer(target, flags, process.env, '/v1/entities');
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
    const body = JSON.stringify({ entity, ...labelled, aliases });
    const text = await patiently(async () =>
      (await server.ask('', { method: 'PATCH', headers, body })).text(),
    );
    return schema.parseJson(answer, text, { code: 'runtime', what: 'answer', path: server.url }).epoch;
  };
  const epoch = (await isFactsStore(target)) ? await inStore() : await onServer();
  terminal.out(json ? JSON.stringify({ epoch }) : `Epoch ${epoch}: ${entity} changed`);
}
