import { FuzzError, type NameEntry } from '@fuzzqe/core';
import { forEachLine } from '../files/lines.ts';

/**
 * Reads names as OpenKE writes them: their number, then a line a name, `key TAB id`, in any order.
 *
 * Undefined where the first line is no number alone.
 *
 * @throws FuzzError `data` with `path:line`: another form of line, an id that is not below the number, an id given twice; fewer names.
 */
export async function readCountedNames(path: string): Promise<NameEntry[] | undefined> {
  let count: number | undefined;
  let isFirst = true;
  let given = 0;
  const names: NameEntry[] = [];
  await forEachLine(path, (line, number) => {
    if (isFirst) count = /^\s*\d+\s*$/.test(line) ? Number(line) : undefined;
    else if (count !== undefined && line !== '') {
      const [, key, digits] = /^(.*\S)[\t ]+(\d+)\s*$/.exec(line) ?? [];
      const id = Number(digits);
      if (key === undefined || id >= count || names[id] !== undefined)
        throw new FuzzError(
          'data',
          `name: expected a key and an id below ${count} that is new, got ${JSON.stringify(line)}`,
          {
            path: `${path}:${number}`,
            hint: 'A line is: key TAB id.',
          },
        );
      names[id] = { key, label: key };
      given++;
    }
    isFirst = false;
  });
  if (count === undefined || given === count) return count === undefined ? undefined : names;
  throw new FuzzError('data', `names: expected ${count}, as the first line says, got ${given}`, {
    path,
    hint: 'Is the file whole?',
  });
}
