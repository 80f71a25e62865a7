import { FuzzError, messageOf } from '@fuzzqe/core';

/** Classes of SQLSTATE that pass: connections, transactions, resources, operators. Source: PostgreSQL, appendix A. */
const passingClasses = ['08', '25', '40', '53', '55', '57'];

/**
 * What PostgreSQL or its driver says, as an error of a store of facts.
 *
 * @param path the database, without credentials.
 */
export function postgresError(cause: unknown, path: string): FuzzError {
  if (cause instanceof FuzzError) return cause;
  const state = stateOf(cause);
  // If a host has several addresses, each has a reason of its own.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  const [line = ''] = messageOf(first).split('\n', 1);
  return new FuzzError(
    'storage',
    `PostgreSQL: ${line.slice(0, 300)}${state === undefined ? '' : ` (${state})`}`,
    {
      path,
      hint: hintOf(state),
      passing: state === undefined || passingClasses.includes(state.slice(0, 2)),
      cause,
    },
  );
}

/** The SQLSTATE of an error that the server sent. */
export function stateOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'severity' in cause && 'code' in cause ? String(cause.code) : undefined;
}

function hintOf(state: string | undefined): string {
  if (state === undefined) return 'Check that the server runs and can be reached.';
  if (state.startsWith('28')) return 'Check the user and the password; a password can come from PGPASSWORD.';
  if (state === '3D000') return 'Create the database: createdb NAME.';
  if (state === '42501')
    return 'Give the user the right to create tables, or to read and write those of the store.';
  if (state.startsWith('53')) return 'Check the disk, the memory and the connections of the server.';
  return 'See the log of the server.';
}
