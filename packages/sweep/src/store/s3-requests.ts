import { createHash } from 'node:crypto';
import { FuzzError } from '@fuzzqe/core';
import { readAtMost, systemErrorCode, waitAfter } from '@fuzzqe/files';
import { AwsClient } from 'aws4fetch';
import type { S3Settings } from './s3-settings.ts';

/** How requests are repeated. */
export interface S3Patience {
  /** How often one is sent at most. Default 6. */
  readonly attempts?: number;
  /** Milliseconds until an answer has to be there, with its body. Default 60 000. */
  readonly timeout?: number;
  /** Waits between attempts. Default 0.2 s, and twice as long each time. */
  readonly pause?: (attempt: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

/** A request to a bucket. */
export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Without the prefix; '' for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  /** Statuses other than 2xx that are answers. */
  readonly expected?: readonly number[];
  /** Bytes that the answer has at most. Default 1 MiB. */
  readonly most?: number;
  /** Instead of those of all requests. */
  readonly attempts?: number;
  readonly timeout?: number;
  /** Whether a 200 may have an error in its body, which then counts as an answer of 500. */
  readonly failsInBody?: boolean;
  /** Ends the request, and the waits between its attempts. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer, read whole. */
export interface S3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** Whether an earlier attempt may have been carried out though nothing came back. */
  readonly repeated: boolean;
}

/** Bytes of a small text, as claims and results are. */
const usualMost = 2 ** 20;
/** Bytes of an error that are read. */
const mostOfError = 64 * 2 ** 10;

/** What a server says that may be otherwise a moment later. */
const passing: ReadonlySet<number> = new Set([408, 409, 429, 500, 502, 503, 504]);

/**
 * Sends signed requests (AWS Signature Version 4, the body's hash included) with time-outs, again where the answer may be another a
 * moment later.
 *
 * @throws FuzzError `runtime`: the server is not reached, refuses the credentials, has no such bucket, or keeps failing; no part of
 * the credentials is in it. It answers with more bytes than asked for. `interrupted`: by the signal.
 */
export function s3Requests(
  settings: S3Settings,
  patience: S3Patience = {},
): (request: S3Request) => Promise<S3Answer> {
  const {
    attempts: usualAttempts = 6,
    timeout: usualTimeout = 60_000,
    pause = (attempt, signal) => waitAfter(attempt, 200, signal),
  } = patience;
  const { endpoint, bucket, prefix, region, accessKeyId, secretAccessKey, sessionToken } = settings;
  const name = `s3://${bucket}/${prefix}`;
  const client = new AwsClient({
    ...{ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 },
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
  const sendOnce = async ({
    method,
    key,
    query,
    headers,
    body,
    signal,
    expected,
    failsInBody = false,
    most = usualMost,
    timeout = usualTimeout,
  }: S3Request): Promise<Omit<S3Answer, 'repeated'>> => {
    const path = key === '' ? '' : `/${prefix}${key}`;
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    const signed = await client.sign(`${endpoint}/${bucket}${path}${search}`, {
      method,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      ...(body === undefined ? {} : { body }),
    });
    const inTime = AbortSignal.timeout(timeout);
    const answer = await fetch(signed, {
      signal: signal === undefined ? inTime : AbortSignal.any([inTime, signal]),
      redirect: 'manual',
    });
    const { status, headers: answered } = answer;
    const isAnswer = answer.ok || expected?.includes(status) === true;
    const { bytes, isWhole } = await readAtMost(answer, isAnswer ? most : mostOfError);
    if (isAnswer && !isWhole)
      throw new FuzzError('runtime', `the store answers with more than ${most} bytes`, {
        path: name,
        hint: 'Check AWS_ENDPOINT_URL: it is no store, or what it holds was written by something else.',
      });
    const failed = failsInBody && answer.ok && s3Code(bytes) !== '';
    return { status: failed ? 500 : status, headers: answered, body: bytes };
  };
  return async (request) => {
    const { signal, attempts = usualAttempts } = request;
    let last: FuzzError | undefined;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (attempt > 0) await pause(attempt - 1, signal);
      if (signal?.aborted === true)
        throw new FuzzError('interrupted', 'stopped while the store was asked', { path: name });
      let answer: Omit<S3Answer, 'repeated'>;
      try {
        answer = await sendOnce(request);
      } catch (cause) {
        if (cause instanceof FuzzError) throw cause;
        last = notReached(name, endpoint, cause);
        continue;
      }
      const { status } = answer;
      if ((status >= 200 && status < 300) || request.expected?.includes(status) === true)
        return { ...answer, repeated: attempt > 0 };
      last = refusal(name, answer);
      if (!passing.has(status)) throw last;
    }
    throw last!;
  };
}

/** What `<Code>` of an answer says. */
export function s3Code(body: Uint8Array): string {
  return /<Code>([A-Za-z0-9]+)<\/Code>/.exec(Buffer.from(body).toString('utf8'))?.[1] ?? '';
}

/** Only status and code are told: messages of servers repeat keys and what was signed. */
function refusal(name: string, { status, body }: Pick<S3Answer, 'status' | 'body'>): FuzzError {
  const code = s3Code(body);
  const said = `${status}${code === '' ? '' : ` ${code}`}`;
  if (status === 401 || status === 403)
    return new FuzzError('runtime', `the store refuses the credentials (${said})`, {
      path: name,
      hint:
        code === 'RequestTimeTooSkewed'
          ? 'Set the clock of this machine.'
          : 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION, and what they may do in this bucket.',
    });
  if (code === 'NoSuchBucket')
    return new FuzzError('runtime', `the store has no such bucket (${said})`, {
      path: name,
      hint: 'Make it first, or check AWS_ENDPOINT_URL.',
    });
  if (status >= 300 && status < 400)
    return new FuzzError('runtime', `the bucket lies elsewhere (${said})`, {
      path: name,
      hint: 'Set AWS_REGION to the region of the bucket.',
    });
  return new FuzzError('runtime', `the store refuses a request (${said})`, {
    path: name,
    hint: passing.has(status) ? 'It may be overloaded: try again later.' : 'Check AWS_ENDPOINT_URL.',
  });
}

function notReached(name: string, endpoint: string, cause: unknown): FuzzError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const isTimeout = inner instanceof Error && inner.name === 'TimeoutError';
  const why = isTimeout ? 'no answer in time' : (systemErrorCode(inner) ?? codeOf(inner) ?? 'no answer');
  return new FuzzError('runtime', `the store cannot be reached at ${endpoint} (${why})`, {
    path: name,
    hint: 'Check AWS_ENDPOINT_URL and the network, and try again.',
    cause,
  });
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
}
