import type { ApiContext, ApiEnv, GivenChange, TimeLimit } from '@fuzzqe/api';
import { changedFacts, FuzzError } from '@fuzzqe/core';
import { type Engine, inTurns, readWithNames } from '@fuzzqe/engine';
import type { Context } from 'hono';
import type { UpdateOperation } from '../update/fact-pattern.ts';
import { createNewNames, type NewNames } from '../update/new-names.ts';
import { readUpdate } from '../update/read-update.ts';
import { type IdChange, runUpdate } from '../update/run-update.ts';
import type { ParseText } from './sparql-part.ts';

/** An update that was sent, and by what it is answered. */
export interface SentUpdate {
  readonly engine: Engine;
  readonly text: string;
  /** Whether facts that come may have names that the graph lacks. */
  readonly create: boolean;
  readonly parse: ParseText;
  readonly limits: TimeLimit;
  /** Hears what the update takes, in milliseconds of one core. */
  readonly onCost: (cost: number) => void;
}

/**
 * Answers an update of SPARQL 1.1: all its operations are one batch of changes of recorded facts. With `?create=true`, facts that come may
 * have names that the graph lacks.
 *
 * @throws FuzzError `query`, `vocabulary`: the text, or facts that do not change. `cost`, `range`: the limits. As `FactsAccess.write` and `writerOf`.
 */
export async function answerUpdate(
  { facts, batch, costLimit }: ApiContext,
  context: Context<ApiEnv>,
  { engine, text, create, parse, limits, onCost }: SentUpdate,
): Promise<Response> {
  if (facts === undefined)
    throw new FuzzError('query', 'UPDATE: expected a server whose facts change, got one whose facts do not', {
      hint: 'Start the server with --facts DIR.',
    });
  // Before the text is read: a caller who may not write is told so first.
  const writer = facts.writerOf(context);
  const parsed = await parse(text, limits, 'update');
  const reading = { ...limits, costLimit, onCost };
  const readOperations = (): Promise<ReadOperations> =>
    readWithNames(
      engine.vocabulary,
      (vocabulary) => {
        const names = createNewNames(vocabulary, create);
        return { operations: readUpdate(parsed, names), names };
      },
      reading,
    );
  const first = await readOperations();
  const matches = first.operations.some(({ where }) => where !== undefined);
  const read = async (): Promise<readonly GivenChange[]> => {
    // Another write may have taken the ids of new names since then.
    const { operations, names } = create && matches ? await readOperations() : first;
    const cost = { limit: costLimit, spent: 0 };
    const grown = {
      entityCount: Math.max(engine.facts.entityCount, names.entityCount),
      relationCount: Math.max(engine.facts.relationCount, names.relationCount),
    };
    const seen = changedFacts(engine.facts, grown).graph;
    const steps = runUpdate(operations, seen, { changes: batch.lines, cost });
    const changes = await inTurns(steps, limits);
    onCost(cost.spent);
    return changes.filter((change) => !isVoid(change, names)).map((change) => named(change, names));
  };
  const given = matches ? [] : await read();
  const options = { ...writer, reading, create };
  const { repeated, ...counts } =
    given.length > 0 ? await facts.write(given, options) : await facts.update(read, options);
  facts.tellEpoch(context, counts.epoch);
  return context.json({ ...counts, ...(repeated ? { repeated } : {}) });
}

/** The operations of an update, and what their ids stand for. */
interface ReadOperations {
  readonly operations: readonly UpdateOperation[];
  readonly names: NewNames;
}

/** Whether a change removes a fact that the update itself added: the graph lacks one of its names. */
function isVoid({ does, head, relation, tail }: IdChange, { isNew }: NewNames): boolean {
  return does === 'remove' && (isNew('entity', head) || isNew('relation', relation) || isNew('entity', tail));
}

/** A change by keys between brackets, which no label is taken for. */
function named({ does, head, relation, tail }: IdChange, names: NewNames): GivenChange {
  return {
    does,
    head: `<${names.entityKey(head)}>`,
    relation: `<${names.relationKey(relation)}>`,
    tail: `<${names.entityKey(tail)}>`,
    place: 'update',
  };
}
