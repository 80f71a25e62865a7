import { FuzzError } from '@fuzzqe/core';
import { type Engine, inTurns, readWithNames } from '@fuzzqe/engine';
import type { ApiContext, ApiEnv, GivenChange, TimeLimit } from '@fuzzqe/engine/api';
import type { Context } from 'hono';
import { readUpdate } from '../update/read-update.ts';
import { type IdChange, runUpdate } from '../update/run-update.ts';
import type { ParseText } from './sparql-part.ts';

/** An update that was sent, and by what it is answered. */
export interface SentUpdate {
  readonly engine: Engine;
  readonly text: string;
  readonly parse: ParseText;
  readonly limits: TimeLimit;
  /** Hears what the update takes, in milliseconds of one core. */
  readonly onCost: (cost: number) => void;
}

/**
 * Answers an update of SPARQL 1.1: all its operations are one batch of changes of recorded facts.
 *
 * @throws FuzzError `query`, `vocabulary`: the text, or facts that do not change. `cost`, `range`: the limits. As `FactsAccess.write` and `writerOf`.
 */
export async function answerUpdate(
  { facts, batch, costLimit }: ApiContext,
  context: Context<ApiEnv>,
  { engine, text, parse, limits, onCost }: SentUpdate,
): Promise<Response> {
  if (facts === undefined)
    throw new FuzzError('query', 'UPDATE: expected a server whose facts change, got one whose facts do not', {
      hint: 'Start the server with --facts DIR.',
    });
  // Before the text is read: a caller who may not write is told so first.
  const writer = facts.writerOf(context);
  const parsed = await parse(text, limits, 'update');
  const reading = { ...limits, costLimit, onCost };
  const operations = await readWithNames(engine.vocabulary, (names) => readUpdate(parsed, names), reading);
  const read = async (): Promise<readonly GivenChange[]> => {
    const cost = { limit: costLimit, spent: 0 };
    const steps = runUpdate(operations, engine.facts, { changes: batch.lines, cost });
    const changes = await inTurns(steps, limits);
    onCost(cost.spent);
    return changes.map((change) => named(change, engine));
  };
  const given = operations.some(({ where }) => where !== undefined) ? [] : await read();
  const { repeated, ...counts } =
    given.length > 0
      ? await facts.write(given, { ...writer, reading })
      : await facts.update(read, { ...writer, reading });
  facts.tellEpoch(context, counts.epoch);
  return context.json({ ...counts, ...(repeated ? { repeated } : {}) });
}

/** A change by keys between brackets, which no label is taken for. */
function named({ does, head, relation, tail }: IdChange, { vocabulary }: Engine): GivenChange {
  const entity = (id: number): string => `<${vocabulary.entity(id).key}>`;
  return {
    does,
    head: entity(head),
    relation: `<${vocabulary.relation(relation).key}>`,
    tail: entity(tail),
    place: 'update',
  };
}
