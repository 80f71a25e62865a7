import type { IncomingMessage, ServerResponse } from 'node:http';
import { type App, type HeaderReader, RequestError, type RequestSubject } from '@fuzzqe/api';
import type { EpochGate } from '../epochs/epoch-gate.ts';
import { writeJson, writeProblem } from './plain-response.ts';
import { pathOf } from './request-target.ts';

/** What `POST /v1/query` is answered with. */
export interface QueryHandlerOptions {
  readonly answerQuery: App['answerQuery'];
  /** Who asks: the same for all requests of one caller; throws where the client may not. */
  readonly admit: (request: IncomingMessage) => unknown;
  /** What requests wait for, and the headers of their answers. */
  readonly epochs: Pick<EpochGate, 'headers' | 'pass'>;
  /** The largest body, in bytes. */
  readonly bodyLimit: number;
}

/** What is noted of a request that came through the admission. */
export interface QueryRecord {
  route: string | undefined;
  subject: RequestSubject | undefined;
  error: unknown;
}

/** Answers queries on what `node:http` gives, without the objects of the web, which take two thirds of the time. */
export interface QueryHandler {
  /** Whether a request is a query that says how long it is and is of no page elsewhere; all others are the application's. */
  takes(request: IncomingMessage, path: string): boolean;
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    record: QueryRecord & { readonly requestId: string },
  ): Promise<void>;
}

const queryPath = /^\/v1\/(?:models\/([\w.-]+)\/)?query$/;

/** The route of a path that queries go to, and the model that it names; undefined for any other. */
function queryRouteOf(
  path: string,
): { readonly route: string; readonly model: string | undefined } | undefined {
  const found = queryPath.exec(path);
  if (found === null) return undefined;
  const model = found[1];
  return { route: model === undefined ? '/v1/query' : '/v1/models/:name/query', model };
}

/** A door to these answers. */
export function createQueryHandler({
  answerQuery,
  admit,
  epochs,
  bodyLimit,
}: QueryHandlerOptions): QueryHandler {
  return {
    takes({ method, headers }, path) {
      const length = headers['content-length'];
      return (
        method === 'POST' &&
        length !== undefined &&
        Number(length) <= bodyLimit &&
        // What a page of another origin is told has headers of its own.
        headers.origin === undefined &&
        queryPath.test(path)
      );
    },
    async answer(request, response, record) {
      const { route, model } = queryRouteOf(pathOf(request)) ?? {};
      record.route = route;
      const left = new AbortController();
      response.on('close', () => {
        if (!response.writableFinished) left.abort();
      });
      let { headers } = epochs;
      try {
        const caller = admit(request);
        const reached = epochs.pass(request, () => left.signal);
        if (reached !== undefined) {
          await reached;
          headers = epochs.headers;
        }
        const text = await answerQuery({
          model,
          caller,
          headers: headersOf(request),
          body: () => readWhole(request),
          signal: left.signal,
          note(subject) {
            record.subject = subject;
          },
        });
        writeJson(response, record.requestId, text, { headers });
      } catch (error) {
        record.error = error;
        writeProblem(response, record.requestId, error, headers);
      }
      // Whatever of the body nobody wanted.
      request.resume();
    },
  };
}

function headersOf({ headers }: IncomingMessage): HeaderReader {
  return {
    get(name) {
      const value = headers[name];
      return value === undefined ? null : value.toString();
    },
  };
}

/** The body of a request; node:http holds it to the length that it says it has. */
function readWhole(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => resolve(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)));
    request.on('error', () =>
      reject(
        new RequestError(
          'syntax',
          'body: expected all of it, but the connection broke off',
          'Send it again.',
        ),
      ),
    );
  });
}
