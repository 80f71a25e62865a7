import { type ApiEnv, type ApiPart, limitsOf } from '@fuzzqe/api';
import { Hono } from 'hono';
import { declareEntities } from './entities-declarations.ts';
import { answerWritten, type FactsPartOptions, readingOf, writerOf } from './facts-part.ts';
import { readNames } from './read-names.ts';

/**
 * `PATCH /v1/entities`: changes labels, further names and attributes of entities, with the writers, keys and epochs of `/v1/facts`.
 *
 * @example
 * const options = { facts: createLiveFacts(await openFactLog('facts')), refusalOf: () => undefined };
 * createApp(engine, { mount: [factsPart(options), entitiesPart(options)] });
 */
export function entitiesPart(options: FactsPartOptions): ApiPart {
  const { facts } = options;
  return {
    path: '/v1/entities',
    endpoints: {
      'PATCH /v1/entities': 'changes labels, further names and attributes of entities, at once',
    },
    declare: declareEntities,
    routes: (context) =>
      new Hono<ApiEnv>().patch('/', async (request) => {
        const writer = writerOf(request, options, '/v1/entities');
        const changes = await readNames(request.req.raw, {
          batch: context.batch,
          time: limitsOf(request, context.timeout),
        });
        const reading = readingOf(context, request);
        return answerWritten(request, facts, await facts.rename(changes, { ...writer, reading }));
      }),
  };
}
