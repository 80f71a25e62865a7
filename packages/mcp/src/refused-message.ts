import type { RequestError } from '@fuzzqe/api';

/** What refuses a message, as JSON-RPC 2.0 has it. */
export interface RefusedMessage {
  readonly jsonrpc: '2.0';
  readonly error: { readonly code: number; readonly message: string };
  /** That of the message; null where it has none that could be one. */
  readonly id: string | number | null;
}

/** By JSON-RPC 2.0: a text that is no JSON, JSON that is no message, and what a transport refuses. */
const codes = { syntax: -32_700, invalid: -32_600, other: -32_000 } as const;

/** Refuses a text that could not be read. */
export function refusalOf(error: RequestError): RefusedMessage {
  const isText = error.code === 'syntax' || error.code === 'encoding';
  const code = isText ? codes.syntax : codes.other;
  return { jsonrpc: '2.0', error: { code, message: `${error.message}. ${error.hint}` }, id: null };
}

/** Refuses JSON that is no message. */
export function invalidMessage(value: unknown, message: string): RefusedMessage {
  const id = isObject(value) ? value['id'] : undefined;
  const isId = typeof id === 'string' || typeof id === 'number';
  return { jsonrpc: '2.0', error: { code: codes.invalid, message }, id: isId ? id : null };
}

/** Whether it has names of its own. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
