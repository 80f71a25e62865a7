import { FuzzError, schema } from '@fuzzqe/core';

/**
 * Reads the parameters of an address.
 *
 * @param hints how to mend a value, and a name that is none.
 * @throws FuzzError `range`: a value. `usage`: no such parameter, or one that is given twice.
 */
export function readParameters<T>(
  address: string,
  reader: schema.Schema<T>,
  hints: { readonly value: string; readonly name: string },
): T {
  const given = new URL(address).searchParams;
  const twice = [...given.keys()].find((name) => given.getAll(name).length > 1);
  if (twice !== undefined)
    throw new FuzzError('usage', `${twice}: expected it once, got it ${given.getAll(twice).length} times`, {
      path: twice,
      hint: 'Leave all but one out.',
    });
  const values: unknown = Object.fromEntries(given);
  const [issue] = schema.issuesOf(reader, values);
  if (issue !== undefined) {
    const name = issue.path.replace(/^\$\.?/, '');
    // A reader of an object has its fields.
    const known = Object.hasOwn((reader as unknown as { readonly entries: object }).entries, name);
    throw new FuzzError(known ? 'range' : 'usage', `${name}: ${issue.message}`, {
      path: name,
      hint: known ? hints.value : hints.name,
    });
  }
  return schema.parse(reader, values, { code: 'usage', what: 'parameters' });
}
