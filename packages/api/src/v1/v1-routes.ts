import { type CallLimits, nextRelations, readWithNames } from '@fuzzqe/engine';
import type { Context, Hono } from 'hono';
import { readBody, readJson } from '../body/read-json.ts';
import { writeJson } from '../body/write-json.ts';
import type { ModelLease } from '../models/model-registry.ts';
import type { ApiContext, ApiEnv } from '../part/api-part.ts';
import { createRoutes } from '../part/create-routes.ts';
import { answerQuery } from './answer-query.ts';
import { answerBatch, lineTypes } from './batch-route.ts';
import { describeNamed } from './entity-route.ts';
import { listModels, modelInfo } from './models-route.ts';
import { listEntities, listRelations } from './names-route.ts';
import { readNextRelations } from './next-relations-route.ts';
import { readPatternQuestion } from './patterns-route.ts';
import { listStructures } from './structures-route.ts';
import { limitsOf } from './time-limit.ts';
import { useModel } from './use-model.ts';

/** What the API itself answers, below `/v1`: of the default model, and of each model below `/v1/models/:name`. */
export function v1Routes(context: ApiContext): Hono<ApiEnv> {
  const { models } = context;
  const routes = createRoutes<ApiEnv>();
  routes.get('/models', (request) => request.json(listModels(models)));
  routes.get('/models/:name', (request) =>
    useModel(context, request, (model) => request.json(modelInfo(model))),
  );
  routes.route('/', modelRoutes(context));
  routes.route('/models/:name', modelRoutes(context));
  return routes;
}

function modelRoutes(context: ApiContext): Hono<ApiEnv> {
  const { bodyLimit, batch, maxK, costLimit, timeout, writeAnswer } = context;
  /** Until when, how much it may cost, and who hears what it does. */
  const chargedLimits = (request: Context<ApiEnv>, { name, version }: ModelLease) => ({
    ...limitsOf(request, timeout),
    costLimit,
    onCost: (cost: number) => request.set('subject', { model: name, version, cost }),
  });
  const routes = createRoutes<ApiEnv>();
  routes.post('/query', async (request) => {
    const { raw } = request.req;
    const text = await answerQuery(context, {
      model: request.req.param('name'),
      headers: raw.headers,
      caller: request.get('caller'),
      body: () => readBody(raw, bodyLimit, 'Ask a smaller query.'),
      signal: raw.signal,
      note: (subject) => request.set('subject', subject),
    });
    return request.body(text, 200, { 'content-type': 'application/json' });
  });
  routes.post('/query/relations', async (request) => {
    const { raw } = request.req;
    const body = await readJson(raw, bodyLimit, limitsOf(request, timeout));
    const since = performance.now();
    return useModel(context, request, async (model) => {
      const { name, version, engine } = model;
      const { facts, costOf, manifest } = engine;
      const { query, k, cost, timeoutMs } = await readWithNames(
        engine.vocabulary,
        (vocabulary) => readNextRelations({ vocabulary, facts, costOf, manifest }, body, context),
        { ...chargedLimits(request, model), ...limitsOf(request, timeout, undefined, since) },
      );
      request.set('subject', { model: name, version, cost, mode: 'sets' });
      const limit = limitsOf(request, timeout, timeoutMs, since);
      return respond(request, await nextRelations(engine, query, { ...limit, k }), limit);
    });
  });
  routes.post('/patterns', async (request) => {
    const { raw } = request.req;
    const body = await readJson(raw, bodyLimit, limitsOf(request, timeout));
    const since = performance.now();
    return useModel(context, request, async (model) => {
      const { name, version, engine } = model;
      const { pattern, options, cost, timeoutMs } = await readWithNames(
        engine.vocabulary,
        (vocabulary) => {
          const { costOfPattern } = engine;
          return readPatternQuestion({ vocabulary, costOfPattern }, body, context);
        },
        { ...chargedLimits(request, model), ...limitsOf(request, timeout, undefined, since) },
      );
      request.set('subject', { model: name, version, cost, mode: 'sets' });
      const limit = limitsOf(request, timeout, timeoutMs, since);
      return respond(request, await engine.match(pattern, { ...options, ...limit }), limit);
    });
  });
  routes.post('/query/batch', (request) =>
    useModel(context, request, (model) => {
      const limits = { ...batch, line: bodyLimit, maxK, costLimit, timeout, writeAnswer };
      const { raw } = request.req;
      const id = request.get('requestId');
      const caller = request.get('caller');
      const subject = { model: model.name, version: model.version, cost: 0 };
      request.set('subject', subject);
      const stream = answerBatch(model, raw, { id, caller }, limits, {
        onError: (error) => context.onError(error, id, 'part'),
        onCost(cost) {
          subject.cost += cost;
        },
      });
      return request.body(stream, 200, { 'content-type': lineTypes[0]! });
    }),
  );
  routes.get('/entities', (request) =>
    useModel(context, request, async (model) => {
      const limits = chargedLimits(request, model);
      return respond(request, await listEntities(model.engine.vocabulary, request.req.url, limits), limits);
    }),
  );
  routes.get('/entities/:id', (request) =>
    useModel(context, request, async (model) => {
      const limits = chargedLimits(request, model);
      const { id } = request.req.param();
      return respond(request, await describeNamed(model.engine, id, request.req.url, limits), limits);
    }),
  );
  routes.get('/relations', (request) =>
    useModel(context, request, async (model) => {
      const limits = chargedLimits(request, model);
      return respond(request, await listRelations(model.engine, request.req.url, limits), limits);
    }),
  );
  routes.get('/structures', (request) =>
    useModel(context, request, ({ engine }) => request.json(listStructures(engine))),
  );
  return routes;
}

/** Answers with a value as JSON, which may be long. */
async function respond(request: Context<ApiEnv>, value: unknown, limits: CallLimits): Promise<Response> {
  return request.body(await writeJson(value, limits), 200, { 'content-type': 'application/json' });
}
