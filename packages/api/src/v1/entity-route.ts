import { FuzzError, schema, type Vocabulary } from '@fuzzqe/core';
import {
  type Engine,
  type EntityDescription,
  inTurns,
  readWithNames,
  type SearchLimits,
} from '@fuzzqe/engine';
import { RequestError } from '../errors/request-error.ts';
import { readParameters } from './read-parameters.ts';
import type { TimeLimit } from './time-limit.ts';

/** The parameters of `GET /v1/entities/:id`: which relations, and how much of each. */
export const entityParameters: schema.Schema<{
  readonly limit?: number;
  readonly offset?: number;
  readonly recorded?: number;
  readonly predicted?: number;
}> = schema.object({
  limit: schema.optional(schema.integerText({ min: 1, max: 64 })),
  offset: schema.optional(schema.integerText({ min: 0 })),
  recorded: schema.optional(schema.integerText({ min: 0, max: 1000 })),
  predicted: schema.optional(schema.integerText({ min: 0, max: 100 })),
});

/**
 * Answers `GET /v1/entities/:id`: the facts of an entity and the best new ones of each relation.
 *
 * @param name a key or label as queries name it, else an id; `#3` is the id 3, whatever else is called so.
 * @throws RequestError `not-found`: no such entity. FuzzError `range` or `usage`: the parameters; `cost`: they would take too long.
 */
export async function describeNamed(
  engine: Pick<Engine, 'vocabulary' | 'describeEntity'>,
  name: string,
  address: string,
  limits: TimeLimit & SearchLimits,
): Promise<EntityDescription> {
  const id = await entityNamed(engine.vocabulary, name, limits);
  const options = readParameters(address, entityParameters, {
    value: 'Go on by offset.',
    name: 'For example ?limit=5&predicted=10.',
  });
  return engine.describeEntity(id, { ...options, ...limits });
}

async function entityNamed(vocabulary: Vocabulary, name: string, limits: SearchLimits): Promise<number> {
  const id = /^#?(\d{1,10})$/.exec(name)?.[1];
  if (id !== undefined && Number(id) < vocabulary.entityCount) {
    if (name.startsWith('#') || !(await isName(vocabulary, name, limits))) return Number(id);
  }
  try {
    return await readWithNames(vocabulary, ({ findEntity }) => findEntity(name), limits);
  } catch (error) {
    if (!(error instanceof FuzzError) || error.code !== 'vocabulary') throw error;
    throw new RequestError(
      'not-found',
      // Queries take ids in another form.
      error.message.replace('key or label', 'key, label or id'),
      error.hint ?? 'GET /v1/entities?q= searches names.',
      {},
      'id',
    );
  }
}

/** Whether an entity is called so, or several are. */
async function isName(vocabulary: Vocabulary, name: string, limits: SearchLimits): Promise<boolean> {
  await inTurns(vocabulary.prepareNames(), limits);
  let isMissing = false;
  const noting = vocabulary.offering(() => {
    isMissing = true;
    return undefined;
  });
  try {
    noting.findEntity(name);
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
  }
  return !isMissing;
}
