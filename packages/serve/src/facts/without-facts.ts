import { type ApiEnv, type ApiPart, RequestError } from '@fuzzqe/api';
import { Hono } from 'hono';

/** Refuses changes and judgements on a server without a store of facts, and says how a server with a store is started. */
export const withoutFacts: readonly ApiPart[] = [
  refusing('/v1/facts', ['GET', 'POST', 'DELETE']),
  refusing('/v1/judgements', ['GET', 'POST'], ['/', '/next']),
  refusing('/v1/entities', ['PATCH']),
];

function refusing(path: string, methods: string[], places: string[] = ['/']): ApiPart {
  return {
    path,
    routes: () => new Hono<ApiEnv>().on(methods, places, (request) => refuse(request.req.path)),
  };
}

function refuse(path: string): never {
  throw new RequestError(
    'not-found',
    `${path}: expected a server that keeps facts, got a server that was started without them`,
    'Start it with a store of facts: fuzzqe serve BUNDLE --facts FOLDER.',
  );
}
