import { FuzzError, type FuzzErrorCode } from '../errors.ts';
import { describeValue } from './describe-value.ts';

/** Refuses what is no text, of callers without types. Throws: with the given code. */
export function expectText(what: string, value: unknown, code: FuzzErrorCode, path = '$'): void {
  if (typeof value === 'string') return;
  throw new FuzzError(code, `${what}: expected a text, got ${describeValue(value)}`, { path });
}
