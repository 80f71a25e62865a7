import { FuzzError, messageOf } from '@fuzzqe/core';

/** What was thrown says, behind where: the address of a file that is not there is no part of a message. */
export function messageWithPath(thrown: unknown): string {
  const path = thrown instanceof FuzzError ? thrown.path : undefined;
  return path === undefined ? messageOf(thrown) : `${path}: ${messageOf(thrown)}`;
}
