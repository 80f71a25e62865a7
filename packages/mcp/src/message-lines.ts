import { Transform, type Writable } from 'node:stream';
import { parseJsonBytes, RequestError } from '@fuzzqe/api';
import { describeValue, FuzzError } from '@fuzzqe/core';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/server';
import { invalidMessage, isObject, type RefusedMessage, refusalOf } from './refused-message.ts';

/** The most bytes of a line: those that the protocol's kit holds, which gives the connection up beyond them. */
const longestLine = 10 * 2 ** 20;

const nothing = Buffer.alloc(0);
const newline = Buffer.from('\n');
const byteOrderMark = Buffer.from('\uFEFF');

const hint = 'Send each message as one line of UTF-8 JSON.';

/**
 * Passes on the lines that are messages, and answers the others as JSON-RPC 2.0 has it, so that no caller waits for ever: the protocol's
 * kit passes over them. Lines are read as strictly as bodies over HTTP; empty ones are none. What is meant as a response is not answered.
 *
 * @param onRefused hears why a line was refused.
 */
export function messageLines(answers: Writable, onRefused: (error: FuzzError) => void): Transform {
  let held: Buffer[] = [];
  let size = 0;
  const refuse = (told: RefusedMessage | undefined, error: FuzzError): Promise<void> => {
    onRefused(error);
    if (told === undefined || !answers.writable) return Promise.resolve();
    // Anyone who does not read the answers is not read from.
    return new Promise((resolve) => answers.write(`${JSON.stringify(told)}\n`, () => resolve()));
  };
  const take = async (line: Buffer): Promise<Buffer> => {
    if (line.every(isSpace)) return nothing;
    try {
      const value = await parseJsonBytes(line, {}, 'line', hint);
      const wrong = wrongWith(value);
      // As it came: what is nested deep can be read, and not always be written.
      if (wrong === undefined) return Buffer.concat([withoutMark(line), newline]);
      const isResponse = isObject(value) && !('method' in value) && ('result' in value || 'error' in value);
      await refuse(
        isResponse ? undefined : invalidMessage(value, `${wrong}. ${hint}`),
        new FuzzError('usage', wrong, { hint }),
      );
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      await refuse(refusalOf(error), new FuzzError('usage', error.message, { hint }));
    }
    return nothing;
  };
  return new Transform({
    async transform(chunk: Buffer, _, done) {
      try {
        let rest = chunk;
        for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
          const line = Buffer.concat([...held, rest.subarray(0, end)]);
          [held, size, rest] = [[], 0, rest.subarray(end + 1)];
          this.push(await take(line));
        }
        held.push(rest);
        size += rest.length;
        // The kit says that it is too long.
        if (size > longestLine) this.push(Buffer.concat(held.splice(0)));
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
}

/** The kit reads no mark of the order of bytes. */
function withoutMark(line: Buffer): Buffer {
  return line.subarray(line.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0);
}

function isSpace(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}

/** Why JSON is no message of the protocol, or nothing. */
function wrongWith(value: unknown): string | undefined {
  const isMessage =
    isJSONRPCRequest(value) ||
    isJSONRPCNotification(value) ||
    isJSONRPCResultResponse(value) ||
    isJSONRPCErrorResponse(value);
  if (isMessage) return undefined;
  const what = 'line: expected a message of JSON-RPC 2.0';
  if (Array.isArray(value)) return `${what}, got a batch, which is taken over HTTP alone`;
  if (!isObject(value)) return `${what}, got ${describeValue(value)}`;
  if (value['jsonrpc'] !== '2.0') return `${what}, got ${describeValue(value['jsonrpc'])} as its jsonrpc`;
  if (typeof value['method'] !== 'string')
    return `${what}, got ${describeValue(value['method'])} as its method`;
  if ('id' in value && !isId(value['id'])) return `${what}, got ${describeValue(value['id'])} as its id`;
  if ('params' in value && !isObject(value['params']))
    return `${what}, got ${describeValue(value['params'])} as its params`;
  return `${what}, got one with other keys, or with a _meta of another form`;
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isInteger(value);
}
