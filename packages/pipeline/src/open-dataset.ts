import { join } from 'node:path';
import { FuzzError } from '@fuzzqe/core';
import { type Dataset, hashDataset, importPath, pathExists, readDataset, writeDataset } from '@fuzzqe/data';

/**
 * The data set of some triples, in a folder: written there if nothing is, and otherwise the one that lies there.
 *
 * @throws FuzzError `usage`: the folder holds another graph, or another split of this one. `data`: the triples.
 */
export async function openDataset(
  folder: string,
  triples: string | Dataset,
  options: { readonly name: string; readonly seed: number; onProgress(done: number, total: number): void },
): Promise<Dataset> {
  const { dataset, queries } = await imported(triples, options);
  if (!(await pathExists(folder))) {
    await writeDataset(folder, dataset, queries);
    return dataset;
  }
  const there = await readDataset(folder);
  const [expected, found] = [hashDataset(dataset), hashDataset(there)];
  if (expected !== found)
    throw new FuzzError('usage', `there is another graph here already: ${there.name}, sha256 ${found}`, {
      path: folder,
      hint: `That of ${dataset.name} has sha256 ${expected}. Choose another folder (out), or remove this one.`,
    });
  return there;
}

async function imported(
  triples: string | Dataset,
  options: Parameters<typeof openDataset>[2],
): Promise<Pick<Awaited<ReturnType<typeof importPath>>, 'dataset' | 'queries'>> {
  if (typeof triples !== 'string') return { dataset: triples, queries: {} };
  if (await pathExists(join(triples, 'dataset.json')))
    return { dataset: await readDataset(triples), queries: {} };
  return importPath(triples, options);
}
