import { describeValue, finish, messageOf, type Steps } from '@fuzzqe/core';
import { type CallLimits, inTurns } from '@fuzzqe/engine';
import { RequestError } from '../errors/request-error.ts';
import { findDuplicateKey } from './duplicate-key.ts';

const howTo = 'Send JSON in UTF-8, with names in double quotes.';

/** Gives a header by its name in lower case: `Headers` of the web, or those of a server. */
export type HeaderReader = Pick<Headers, 'get'>;

/**
 * Reads a JSON body, strictly and within a limit.
 *
 * @throws RequestError `media-type`, `too-large`, `encoding` or `syntax`.
 */
export async function readJson(request: Request, limit: number, limits: CallLimits): Promise<unknown> {
  checkMediaType(request.headers, ['application/json']);
  return parseJsonBytes(await readBody(request, limit, howTo), limits);
}

/**
 * Reads a body within a limit, which holds for what the client announces and for what it sends.
 *
 * @throws RequestError `too-large`, or `syntax` where the connection broke off.
 */
export async function readBody(request: Request, limit: number, hint: string): Promise<Uint8Array> {
  const announced = announcedLength(request.headers, limit);
  // HTTP servers hold a body to its announced length, so it can be taken whole: a third less work for a request.
  const bytes = await (announced === undefined ? readBytes(request.body, limit) : readWhole(request)).catch(
    (cause: unknown) => {
      if (cause instanceof RequestError) throw cause;
      throw new RequestError('syntax', 'body: expected all of it, but the connection broke off', hint);
    },
  );
  if (bytes.length > limit) throw tooLarge(limit);
  return bytes;
}

/** Bytes that are read at once: more than most queries have. */
const fewBytes = 2 ** 14;

/** Names of keys that a body may have: requests have a dozen. */
const mostNames = 256;

/**
 * Reads bytes as JSON, strictly: UTF-8, each key of an object once, and no more names of keys than any request has. In turns of the
 * event loop where there are many.
 *
 * @param what what errors call it.
 * @param hint how the sender can mend it.
 * @throws RequestError `encoding`, `syntax` or `too-large`. FuzzError `interrupted`, `deadline`: the limits.
 */
export async function parseJsonBytes(
  bytes: Uint8Array,
  limits: CallLimits,
  what = 'body',
  hint: string = howTo,
): Promise<unknown> {
  const steps = parsing(bytes, what, hint);
  return bytes.length > fewBytes ? inTurns(steps, limits) : finish(steps);
}

function* parsing(bytes: Uint8Array, what: string, hint: string): Steps<unknown> {
  const text = decode(bytes, what, hint);
  const twice = yield* findDuplicateKey(text, mostNames);
  if (twice === 'too many')
    throw new RequestError(
      'too-large',
      `${what}: expected at most ${mostNames} names of keys, got more`,
      'Send fewer keys.',
    );
  yield;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const got = text.trim() === '' ? `an empty ${what}` : `${messageOf(cause)}`;
    throw new RequestError('syntax', `${what}: expected JSON, got ${got}`, hint);
  }
  if (twice !== undefined) {
    const key = describeValue(twice.key);
    throw new RequestError(
      'syntax',
      `${what}: expected each key once, got ${key} twice at ${twice.path.slice(0, 200)}`,
      'Leave all but one out.',
    );
  }
  return value;
}

/**
 * Holds a body to be plain text of one of these media types, in UTF-8; gives the type.
 *
 * @throws RequestError `media-type`.
 */
export function checkMediaType(headers: HeaderReader, types: readonly string[]): string {
  const got = headers.get('content-type') ?? 'none';
  const [type = '', ...parameters] = got.split(';').map((part) => part.trim().toLowerCase());
  if (!types.includes(type) || parameters.some(isOtherCharset)) {
    const hint = `Send UTF-8 with the header content-type: ${types[0]}.`;
    throw new RequestError('media-type', `content-type: expected ${types.join(' or ')}, got ${got}`, hint);
  }
  checkCoding(headers);
  return type;
}

const isOtherCharset = (parameter: string): boolean =>
  parameter.startsWith('charset=') && !/^charset="?utf-?8"?$/.test(parameter);

/**
 * Holds a body to be UTF-8 that is not compressed, of whatever media type: for protocols whose clients name another, or name it not.
 *
 * @throws RequestError `media-type`.
 */
export function checkEncoding(headers: HeaderReader): void {
  const got = headers.get('content-type') ?? '';
  if (got.split(';').some((part) => isOtherCharset(part.trim().toLowerCase())))
    throw new RequestError(
      'media-type',
      `content-type: expected UTF-8, got ${got}`,
      'Send the body in UTF-8.',
    );
  checkCoding(headers);
}

function checkCoding(headers: HeaderReader): void {
  const coding = headers.get('content-encoding') ?? 'identity';
  if (coding.toLowerCase() === 'identity') return;
  throw new RequestError(
    'media-type',
    `content-encoding: expected none, got ${coding}`,
    'Send the body as it is.',
  );
}

/**
 * How long a body says it is; undefined where it does not say.
 *
 * @throws RequestError `too-large`.
 */
export function announcedLength(headers: HeaderReader, limit: number): number | undefined {
  const announced = headers.get('content-length');
  if (announced === null) return undefined;
  if (Number(announced) > limit) throw tooLarge(limit);
  return Number(announced);
}

async function readWhole(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer());
}

async function readBytes(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    size += chunk.value.length;
    if (size > limit) {
      // Nobody waits for the rest; a client that has gone away makes no difference.
      reader.cancel().catch(() => undefined);
      throw tooLarge(limit);
    }
    chunks.push(chunk.value);
  }
  return joinBytes(chunks, size);
}

/** Pieces of bytes, of so many together, as one. */
export function joinBytes(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}

/** Keeps nothing from one text to the next. */
const strictly = new TextDecoder('utf-8', { fatal: true });

/** Bytes as UTF-8, strictly. */
export function decode(bytes: Uint8Array, what: string, hint: string): string {
  try {
    return strictly.decode(bytes);
  } catch {
    throw new RequestError('encoding', `${what}: expected UTF-8, got other bytes`, hint);
  }
}

/** A body, or a part of one, over its limit. */
export function tooLarge(limit: number, what = 'body'): RequestError {
  return new RequestError(
    'too-large',
    `${what}: expected at most ${limit} bytes, got more`,
    'Send several smaller requests.',
  );
}
