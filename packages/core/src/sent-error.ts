import { FuzzError, type FuzzErrorCode, messageOf } from './errors.ts';

/** An error as a message carries it. */
export interface SentError {
  readonly message: string;
  /** Of a FuzzError. */
  readonly code?: FuzzErrorCode | undefined;
  readonly path?: string | undefined;
  readonly hint?: string | undefined;
}

/** What of an error a message carries. */
export function sentError(error: unknown): SentError {
  if (!(error instanceof FuzzError)) return { message: messageOf(error) };
  const { message, code, path, hint } = error;
  return { message, code, path, hint };
}

/** The error that a message carried. */
export function receivedError({ message, code, path, hint }: SentError): Error {
  if (code === undefined) return new Error(message);
  return new FuzzError(code, message, {
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
  });
}
