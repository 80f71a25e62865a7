import { FuzzError, messageOf } from './errors.ts';

/**
 * Loads a package that may be absent: `importOptional('hono', 'npm install hono', () => import('hono'))`.
 *
 * @throws FuzzError `runtime`: it is not installed, with the command that installs it, or it does not load.
 */
export async function importOptional<T>(name: string, install: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const [first] = messageOf(cause).split('\n', 1);
    // A package that is there may lack one of its own: then it is the other that has to be named.
    const code = (cause as { readonly code?: unknown } | null)?.code; // whatever was thrown
    const absent = code === 'ERR_MODULE_NOT_FOUND' && first!.includes(name);
    throw new FuzzError(
      'runtime',
      absent ? `the package ${name} is not installed` : `the package ${name} does not load: ${first}`,
      { hint: `Install it: ${install}`, cause },
    );
  }
}
