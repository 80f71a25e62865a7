import { FuzzError, type FuzzErrorCode, type FuzzErrorDetails, messageOf } from './errors.ts';
import { isPassing } from './passing-fault.ts';

/** An error as a message carries it. */
export interface SentError {
  readonly message: string;
  /** Of a FuzzError. */
  readonly code?: FuzzErrorCode | undefined;
  readonly details?: Omit<FuzzErrorDetails, 'cause'>;
}

/** What of an error a message carries. What is no FuzzError and yet passes becomes one, `runtime`: its type goes no further. */
export function sentError(error: unknown): SentError {
  const passing = isPassing(error);
  if (!(error instanceof FuzzError))
    return { message: messageOf(error), ...(passing && { code: 'runtime', details: { passing } }) };
  const { message, code, path, hint, retryAfter, toCallers } = error;
  // What is undefined is none of the details.
  const details = { path, hint, retryAfter, toCallers, passing } as FuzzErrorDetails;
  return { message, code, details };
}

/** The error that a message carried. */
export function receivedError({ message, code, details }: SentError): Error {
  return code === undefined ? new Error(message) : new FuzzError(code, message, details);
}
