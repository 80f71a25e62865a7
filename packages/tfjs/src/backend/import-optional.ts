import { FuzzError } from '@fuzzqe/core';

/** Imports a package that may be absent. Throws: 'runtime', with the command that installs it. */
export async function importOptional<T>(name: string, install: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (cause) {
    const absent = (cause as { readonly code?: unknown } | null)?.code === 'ERR_MODULE_NOT_FOUND';
    const [first] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
    throw new FuzzError(
      'runtime',
      absent ? `the package ${name} is not installed` : `the package ${name} does not load: ${first}`,
      { hint: `Install it: ${install}`, cause },
    );
  }
}
