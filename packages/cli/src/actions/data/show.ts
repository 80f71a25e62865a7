import { listQuerySets, queryFileOf, queryParts, readDataset, readQueryFile } from '@fuzzqe/data';
import { pathExists } from '@fuzzqe/files';
import { exampleQuery } from '../../names/example-query.ts';
import { formatRelations } from '../../names/format-names.ts';
import { relationsOf } from '../../names/named-graph.ts';
import type { NextCommand } from '../../terminal/next-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { countsOf, describeDataset } from './describe.ts';
import { nextCommandWithData } from './query-files.ts';

/** What `fuzzqe data show` was told. */
export interface ShowFlags {
  readonly json?: boolean;
}

/** How many relations are listed, those with the most facts; the command `names` lists all. */
const listed = 20;

/** Does `fuzzqe data show`. */
export async function showDataset(
  terminal: Terminal,
  folder: string,
  { json }: ShowFlags,
): Promise<NextCommand> {
  const dataset = await readDataset(folder);
  const queries: Record<string, number> = {};
  for (const part of queryParts) {
    const path = queryFileOf(folder, part);
    const found = (await pathExists(path)) ? (await readQueryFile(path, dataset, part)).queries : [];
    queries[part] = found.reduce((sum, each) => sum + each.count, 0);
  }
  const sets = (await listQuerySets(folder)).map(({ name, part, licence, source, structures }) => ({
    ...{ name, part, licence, source },
    count: Object.values(structures).reduce((sum, count) => sum + count, 0),
  }));
  const graph = { vocabulary: dataset.vocabulary, facts: dataset.graphs().full };
  const relations = relationsOf(graph);
  if (json)
    terminal.out(
      JSON.stringify({ ...countsOf(dataset), queries, querySets: sets, factsByRelation: relations }),
    );
  else {
    describeDataset(dataset).forEach(terminal.out);
    terminal.out(`queries: ${queryParts.map((part) => `${queries[part]} ${part}`).join(', ')}`);
    for (const { name, part, licence, source, count } of sets)
      terminal.out(`set ${name} (${licence}): ${count} ${part}${source === '' ? '' : `, ${source}`}`);
    terminal.out('');
    const most = [...relations].sort((a, b) => b.facts - a.facts).slice(0, listed);
    formatRelations(most, terminal.columns).forEach(terminal.out);
    if (most.length < relations.length)
      terminal.out(
        `… and ${relations.length - most.length} more: fuzzqe names ${folder} --relations --limit 1000`,
      );
  }
  return nextCommandWithData(folder, exampleQuery(graph));
}
