import { createRequire } from 'node:module';
import {
  type ApiContext,
  type ApiEnv,
  type ApiPart,
  checkEncoding,
  limitsOf,
  type ModelLease,
  methodError,
  parseJsonBytes,
  problemHeaders,
  problemOf,
  RequestError,
  readBody,
  writeJson,
} from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';
import { readWithNames } from '@fuzzqe/engine';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { answerInference } from './answer-inference.ts';
import { declareProtocol } from './protocol-declarations.ts';
import { acquireModel, commonName, type ProtocolModel } from './protocol-models.ts';
import { readInferenceRequest } from './read-inference-request.ts';

/**
 * The Open Inference Protocol, version 2, for `createApp`: models `fuzzqe`, which takes queries as text, and `fuzzqe-1p` to
 * `fuzzqe-pni`, which take ids. Errors are `{"error": …}`. There are no extensions, so tensors are JSON.
 *
 * Source: https://github.com/kserve/open-inference-protocol
 *
 * @example
 * const app = createApp(models, { mount: [inferenceProtocolPart()] });
 */
export function inferenceProtocolPart(): ApiPart {
  return {
    path: '/v2',
    endpoints: {
      'GET /v2/models/{name}':
        'describes a model of the Open Inference Protocol: fuzzqe, fuzzqe-1p, …, fuzzqe-pni',
      'POST /v2/models/{name}/infer': 'answers its queries, as tensors',
    },
    routes: protocolRoutes,
    declare: declareProtocol,
  };
}

type Request = Context<ApiEnv>;

/** Of this server; every package has the same. */
const { version: packageVersion } = createRequire(import.meta.url)('../../package.json') as {
  version: string;
}; // npm requires it

const howTo = 'Send an inference request as UTF-8 JSON.';

function protocolRoutes(context: ApiContext): Hono<ApiEnv> {
  const { models, bodyLimit, maxK, timeout, costLimit, onError } = context;
  const routes = new Hono<ApiEnv>();

  const withModel = async (
    request: Request,
    work: (model: ProtocolModel, lease: ModelLease) => Response | Promise<Response>,
  ): Promise<Response> => {
    const { name, version } = request.req.param();
    const { model, lease } = await acquireModel(models, name!, version);
    request.set('subject', {
      model: lease.name,
      version: lease.version,
      structure: model.structure?.name ?? 'other',
    });
    try {
      return await work(model, lease);
    } finally {
      lease.release();
    }
  };

  routes.get('/', (request) => request.json({ name: commonName, version: packageVersion, extensions: [] }));
  routes.get('/health/live', (request) => request.json({ live: true }));
  routes.get('/health/ready', (request) => request.json({ ready: models.ready }, models.ready ? 200 : 503));
  for (const path of ['/models/:name', '/models/:name/versions/:version']) {
    routes.get(path, (request) =>
      withModel(request, ({ name, inputs, outputs }, { version }) =>
        request.json({ name, versions: [version], platform: 'fuzzqe_bundle', inputs, outputs }),
      ),
    );
    routes.get(`${path}/ready`, (request) =>
      withModel(request, ({ name }, { engine: { ready } }) =>
        request.json({ name, ready }, ready ? 200 : 503),
      ),
    );
    routes.post(`${path}/infer`, async (request) => {
      const { raw } = request.req;
      refuseBinary(raw.headers);
      checkEncoding(raw.headers);
      const bytes = await readBody(raw, bodyLimit, howTo);
      const body = await parseJsonBytes(bytes, limitsOf(request, timeout), 'body', howTo);
      return withModel(request, async (model, { engine, version }) => {
        const subject = request.get('subject')!; // of `withModel`
        const limits = {
          ...limitsOf(request, timeout),
          costLimit,
          onCost: (cost: number) => request.set('subject', { ...subject, cost }),
        };
        const read = await readWithNames(
          engine.vocabulary,
          (names) => readInferenceRequest(body, model, names, maxK),
          limits,
        );
        const found = await answerInference(engine, model, version, read, limits).catch((error: unknown) => {
          throw inParameters(error);
        });
        return request.body(await writeJson(found, limits), 200, { 'content-type': 'application/json' });
      });
    });
  }
  routes.all('*', ({ req }) => {
    const get = ['GET', 'HEAD'].includes(req.method);
    const hint = 'The paths of the Open Inference Protocol are answered, GET for all but POST …/infer.';
    const infer = /^\/v2\/models\/[^/]+(?:\/versions\/[^/]+)?\/infer$/.test(req.path);
    const others =
      /^\/v2(?:\/health\/(?:live|ready)|\/models\/[^/]+(?:\/versions\/[^/]+)?(?:\/ready)?)?\/?$/.test(
        req.path,
      );
    if ((infer && req.method !== 'POST') || (others && !get)) {
      throw methodError(req, infer ? 'POST' : 'GET, HEAD', hint);
    }
    throw new RequestError('not-found', `no such path: ${req.path.slice(0, 200)}`, hint);
  });
  routes.onError((fault, request) => {
    const id = request.get('requestId');
    const problem = problemOf(fault, id);
    const { status, detail, path, hint } = problem;
    if (status === 500 || status === 503) onError(fault, id, 'answer');
    const told = `${path === undefined ? '' : `${path}: `}${detail}`;
    const error = hint === undefined ? told : `${told.replace(/\.$/, '')}. ${hint}`;
    // 499 is not among the statuses that Hono names; nobody receives it.
    return request.json({ error }, status as ContentfulStatusCode, {
      ...problemHeaders(fault, problem),
    });
  });
  return routes;
}

/** An error that names the parameters of the protocol, and not what the engine calls them. */
function inParameters(error: unknown): unknown {
  const name =
    error instanceof FuzzError ? /^\$\.(mode|k|exclude|minDegree)$/.exec(error.path ?? '')?.[1] : undefined;
  if (name === undefined || !(error instanceof FuzzError)) return error;
  const { code, message, hint } = error;
  const parameter = name === 'minDegree' ? 'min_degree' : name;
  return new FuzzError(code, message.replace(name, parameter), {
    path: `$.parameters.${parameter}`,
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

/** A client that sends tensors after the JSON would be misread. */
function refuseBinary(headers: Headers): void {
  if (headers.get('inference-header-content-length') === null) return;
  throw new FuzzError('usage', 'body: expected tensors as JSON, got binary tensors after it', {
    hint: 'This server has no extensions: send with binary_data=False.',
  });
}
