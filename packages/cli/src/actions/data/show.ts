import { readDataset } from '@fuzzqe/train';
import type { ShowFlags } from '../../commands/data.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { countsOf, describeDataset } from './describe.ts';
import { queryParts, readQueryPart } from './query-files.ts';

/** Does `fuzzqe data show`. */
export async function showDataset(terminal: Terminal, folder: string, { json }: ShowFlags): Promise<void> {
  const dataset = await readDataset(folder);
  const queries: Record<string, number> = {};
  for (const part of queryParts) {
    const found = await readQueryPart(folder, dataset, part).catch(() => []);
    queries[part] = found.reduce((sum, each) => sum + each.count, 0);
  }
  if (json) {
    terminal.out(JSON.stringify({ ...countsOf(dataset), queries }));
    return;
  }
  describeDataset(dataset).forEach(terminal.out);
  terminal.out(`queries: ${queryParts.map((part) => `${queries[part]} ${part}`).join(', ')}`);
}
