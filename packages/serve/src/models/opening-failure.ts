import { FuzzError, type FuzzErrorCode, isPassing } from '@fuzzqe/core';

/** Why a model cannot be opened, as callers may know it: the log has the words, which may name files and hosts. */
const reasons: Partial<Readonly<Record<FuzzErrorCode, string>>> = {
  bundle: 'Files of the bundle are missing, altered, damaged or not signed.',
  parity: 'The golden cases of the bundle come out wrong on this machine.',
  usage: 'The settings of the server do not fit the bundle.',
  runtime: 'The runtime cannot open a graph of the bundle.',
};

/** Why a model cannot be opened, for callers; undefined where nothing is wrong. */
export function reasonOf(error: unknown): string | undefined {
  if (error === undefined) return undefined;
  if (isPassing(error)) return 'The server has no room to open the bundle at the moment.';
  return (error instanceof FuzzError && reasons[error.code]) || 'The bundle cannot be opened.';
}

/**
 * The error of a request for a model that cannot be opened: what passes by itself is 503 or 429, all else 500 until somebody mends it. Its code
 * is `bundle` if the bundle is damaged, otherwise `runtime`.
 */
export function toAskers(name: string, cause: unknown): FuzzError {
  if (cause instanceof FuzzError && (cause.toCallers !== undefined || cause.code === 'overloaded'))
    return cause;
  const isDamaged = cause instanceof FuzzError && cause.code === 'bundle';
  return new FuzzError(isDamaged ? 'bundle' : 'runtime', `model ${name} cannot be opened`, {
    toCallers: `model ${name} cannot be opened. ${reasonOf(cause)}`,
    passing: isPassing(cause),
    cause,
  });
}
