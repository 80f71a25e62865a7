import type { FaultListener } from '@fuzzqe/api';
import { FuzzError } from '@fuzzqe/core';

/** Writes what is the server's fault to the console, as a line of JSON that platforms index. */
export const logFault: FaultListener = (error, requestId, of) => {
  // biome-ignore lint/suspicious/noConsole: the log of Workers and browsers is the console
  console.error(JSON.stringify({ level: 'error', requestId, of, ...described(error) }));
};

/** A listener that never throws: what it throws is written to the console, after the fault that it should have heard. */
export function neverThrowing(listener: FaultListener): FaultListener {
  return (error, requestId, of) => {
    try {
      listener(error, requestId, of);
    } catch (fault) {
      logFault(error, requestId, of);
      logFault(fault, requestId, of);
    }
  };
}

/** An error with what it came of, down to the first cause. */
function described(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack, cause } = error;
  const { code = undefined, path = undefined, hint = undefined } = error instanceof FuzzError ? error : {};
  return { message, code, path, hint, stack, ...(cause === undefined ? {} : { cause: described(cause) }) };
}
