import { STATUS_CODES } from 'node:http';
import type { Problem } from '@fuzzqe/engine/api';

/** Why node:http gives up a request that it cannot read: a problem of a status that the API itself has none of. */
export interface GivenUpRequest extends Pick<Problem, 'type' | 'title' | 'detail' | 'code' | 'hint'> {
  readonly status: number;
}

type Reason = readonly [status: number, code: Problem['code'], detail: string, hint: string];

const malformed: Reason = [
  400,
  'syntax',
  'expected a request of HTTP/1.1, got what is none',
  'Check the address, and whether it is to be called with http: instead of https:.',
];

const tunnel = 'TUNNEL_ASKED';

/** The reason to give up CONNECT, of which node:http makes no request. */
export const tunnelAsked = (): Error => Object.assign(new Error('a tunnel was asked for'), { code: tunnel });

/** By the codes of node:http's errors; those of its parser have `HPE_` before them. */
const reasons: Readonly<Record<string, Reason>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'deadline',
    'the request did not come whole in the time that it has',
    'Send it again at once; headersTimeout and requestTimeout of the server are these times.',
  ],
  [tunnel]: [
    400,
    'syntax',
    'expected a request to this server, got CONNECT, which asks a proxy for a tunnel',
    'This server is no proxy: send it the request itself.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    413,
    'too-large',
    'the extensions of chunks are larger than they may be',
    'Send none.',
  ],
  HPE_HEADER_OVERFLOW: [
    431,
    'too-large',
    'the address and the headers are larger than they may be',
    'Send what is long in the body of a POST.',
  ],
};

/** Says why a request was given up by node:http, by its error; nothing where it is the connection that broke. */
export function givenUpRequest(error: Error): GivenUpRequest | undefined {
  const code = 'code' in error ? `${error.code}` : '';
  const reason = reasons[code] ?? (code.startsWith('HPE_') ? malformed : undefined);
  if (reason === undefined) return undefined;
  const [status, problemCode, detail, hint] = reason;
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? '',
    status,
    detail,
    code: problemCode,
    hint,
  };
}
