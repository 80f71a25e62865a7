import { STATUS_CODES } from 'node:http';
import type { Problem } from '@fuzzqe/api';

/** Why node:http gives up a request that it cannot read: a problem of a status that the API itself has none of. */
export interface GivenUpRequest extends Pick<Problem, 'type' | 'title' | 'detail' | 'code' | 'hint'> {
  readonly status: number;
}

type Reason = readonly [status: number, code: Problem['code'], detail: string, hint: string];

const malformed = (detail: string, hint: string): Reason => [400, 'syntax', detail, hint];

const noHttp = malformed(
  'expected a request in HTTP/1.1, got something else',
  'Check the address, and the method, the path and the headers that were sent.',
);

const handshake = malformed(
  'expected a request in HTTP/1.1, got a TLS handshake',
  'Call it with http: instead of https:, or put a proxy before it that speaks TLS.',
);

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
  HPE_INVALID_METHOD: malformed(
    'expected a method of HTTP, such as GET or POST, at the beginning of a request, got something else',
    'Check the address, and whether what came before it had the length that it said.',
  ),
  HPE_INVALID_URL: malformed(
    'expected a target of ASCII characters, got others in it, or none',
    'Encode what is no ASCII with percent signs: /v1/entities/caf%C3%A9.',
  ),
  HPE_INVALID_VERSION: malformed(
    'expected HTTP/1.1 or HTTP/1.0 after the target, got another version',
    'Use HTTP/1.1.',
  ),
  HPE_PAUSED_H2_UPGRADE: malformed(
    'expected HTTP/1.1, got the beginning of HTTP/2',
    'Use HTTP/1.1, or put a proxy before it that speaks HTTP/2.',
  ),
  HPE_INVALID_CONSTANT: malformed(
    'expected HTTP/1.1 after the target, got another protocol',
    'Encode spaces in the target as %20.',
  ),
  HPE_INVALID_HEADER_TOKEN: malformed(
    'expected headers of the form name: value, got one with a character that it may not have',
    'Send names of letters, digits and dashes, and values without control characters, each on one line.',
  ),
  HPE_UNEXPECTED_CONTENT_LENGTH: malformed(
    'expected the header Content-Length once, got it again',
    'Send it once.',
  ),
  HPE_INVALID_CONTENT_LENGTH: malformed(
    'expected the length of the body in digits and without Transfer-Encoding, got another Content-Length',
    'Send Content-Length or Transfer-Encoding: chunked, not both.',
  ),
  HPE_INVALID_TRANSFER_ENCODING: malformed(
    'expected Transfer-Encoding: chunked without Content-Length, got both or another encoding',
    'Send Content-Length or Transfer-Encoding: chunked, not both.',
  ),
  HPE_INVALID_CHUNK_SIZE: malformed(
    'expected the size of a chunk in hexadecimal digits, got something else',
    'Begin each chunk with its length, and end the body with one of length 0.',
  ),
  HPE_STRICT: malformed(
    'expected the body in chunks, got one that is not as long as it says, or with an extension that is none',
    'Begin each chunk with its length, and end the body with one of length 0.',
  ),
  HPE_INVALID_EOF_STATE: malformed(
    'expected a whole request, got its beginning and the end of the connection',
    'Send all of it, with a body as long as Content-Length says.',
  ),
};

/** Whether bytes begin as TLS does: a record of a handshake, of version 3.x. */
const isHandshake = (error: Error): boolean =>
  'rawPacket' in error &&
  error.rawPacket instanceof Uint8Array &&
  error.rawPacket[0] === 0x16 &&
  error.rawPacket[1] === 0x03;

/** Says why a request was given up by node:http, by its error; nothing where it is the connection that broke. */
export function givenUpRequest(error: Error): GivenUpRequest | undefined {
  const code = 'code' in error ? `${error.code}` : '';
  const unread = code.startsWith('HPE_') ? noHttp : undefined;
  const reason = code === 'HPE_INVALID_METHOD' && isHandshake(error) ? handshake : (reasons[code] ?? unread);
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
