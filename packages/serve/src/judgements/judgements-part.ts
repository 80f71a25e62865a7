import { type ApiEnv, type ApiPart, limitsOf } from '@fuzzqe/api';
import { schema } from '@fuzzqe/core';
import { type Context, Hono } from 'hono';
import { expectStore, storeHeader } from '../epochs/epoch-gate.ts';
import { answerWritten, type FactsPartOptions, readingOf, writerOf } from '../facts/facts-part.ts';
import { parametersOnce } from '../facts/one-fact.ts';
import { readJudgements } from '../facts/read-changes.ts';
import type { UpdatableFacts } from '../facts/updatable-facts.ts';
import { driftReport } from './drift-report.ts';
import { conflictError, judgeFacts, writeJudgements } from './judge-facts.ts';
import { declareJudgements, nextSchema, writeSchema } from './judgements-declarations.ts';
import { nextJudgements } from './next-judgements.ts';

/** What answers `/v1/judgements`. */
export interface JudgementsPartOptions extends FactsPartOptions {
  readonly facts: UpdatableFacts;
}

/**
 * `/v1/judgements`: `POST` accepts and rejects links, `GET` reports how far degrees are from what people found, `GET /v1/judgements/next`
 * proposes links whose judgement teaches most. Its description has schemas of `factsPart`.
 *
 * @example
 * const options = { facts: updatableFacts(live), refusalOf: () => undefined };
 * createApp(engine, { mount: [factsPart(options), judgementsPart(options)] });
 */
export function judgementsPart(options: JudgementsPartOptions): ApiPart {
  const { facts } = options;
  return {
    path: '/v1/judgements',
    endpoints: {
      'POST /v1/judgements': 'accepts links as facts and rejects links; ?check=true only shows conflicts',
      'GET /v1/judgements': 'said and found over the judged links, by week and by relation',
      'GET /v1/judgements/next': 'links whose judgement teaches most; ?entity= or ?relation= of these alone',
    },
    declare: declareJudgements,
    routes(context) {
      return new Hono<ApiEnv>()
        .post('/', async (request) => {
          const writer = writerOf(request, options, '/v1/judgements');
          const { conflicts, check } = addressOf(request, writeSchema);
          const judgements = await readJudgements(request.req.raw, {
            batch: context.batch,
            time: limitsOf(request, context.timeout),
          });
          const reading = readingOf(context, request);
          if (check === 'true') {
            const judged = await judgeFacts(facts.newest(), judgements, reading);
            return request.json({ conflicts: judged.conflicts });
          }
          const judged = await writeJudgements(facts, judgements, conflicts, { ...writer, reading });
          if (judged.written === undefined) throw conflictError(judged.conflicts);
          return answerWritten(request, facts, judged.written);
        })
        .get('/', (request) => {
          addressOf(request, schema.object({}));
          expectStore(request.req.header(storeHeader), facts);
          const { engine, provenance } = facts.newest();
          return request.json(driftReport(provenance.judged(), engine.vocabulary));
        })
        .get('/next', async (request) => {
          const wanted = addressOf(request, nextSchema);
          const reading = readingOf(context, request);
          return request.json({ results: await nextJudgements(facts.newest(), wanted, reading) });
        });
    },
  };
}

/** The parameters of an address. Throws: `usage`. */
function addressOf<T>({ req }: Context<ApiEnv>, form: schema.Schema<T>): T {
  return schema.parse(form, parametersOnce(req.raw), { code: 'usage', what: 'address' });
}
