import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { copyFileWhole, hashFile, makeFolder, pathExists } from '@fuzzqe/files';

/**
 * Copies the queries of one data set's folder into that of another with the same graph: its own, with the rules that drew them,
 * and its sets of other names. What was copied before is left; nothing is replaced.
 *
 * @throws FuzzError `usage`: other queries are there already. `storage`: the folder cannot be written.
 */
export async function copyQueries(from: string, to: string): Promise<void> {
  if (resolve(from) === resolve(to)) return;
  for (const file of await queryFiles(from)) {
    const [source, target] = [join(from, file), join(to, file)];
    if (await pathExists(target)) {
      if ((await hashFile(source)) === (await hashFile(target))) continue;
      throw new FuzzError('usage', `there are other queries here already than in ${source}`, {
        path: target,
        hint: 'Choose another folder (out), or remove this file.',
      });
    }
    await makeFolder(dirname(target));
    await copyFileWhole(source, target);
  }
}

/** The files of queries in a data set's folder, and of what is known of them, as paths inside it. */
async function queryFiles(folder: string): Promise<string[]> {
  const inside = async (name: string, ours: RegExp): Promise<string[]> => {
    const files = await readdir(join(folder, name)).catch(() => []);
    return files.filter((file) => ours.test(file)).map((file) => join(name, file));
  };
  return [
    ...(await inside('queries', /^(train|valid|test)(\.patterns)?(\.jsonl|\.rules\.json)$/)),
    ...(await inside('query-sets', /\.jsonl?$/)),
  ].sort();
}
