import type { Command } from 'commander';
import { parseChoice } from '../../options/parse-options.ts';
import { doing } from '../../terminal/doing.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const examples = `
Example:
  fuzzqe data add-queries data/fb15k-237 valid-queries.jsonl.gz --name q2b \\
    --split valid --licence MIT --source 'Query2Box (ICLR 2020)'
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries q2b

A line is {"type": "2i", "query": [[3, [0]], [7, [4]]], "hard": [ids]}, with
"easy" or without. Every line is held against the graph.`;

/** Adds `fuzzqe data add-queries`. */
export function addAddQueriesCommand(data: Command, terminal: Terminal): void {
  data
    .command('add-queries <data> <file>')
    .description('queries of a file, JSON Lines, as a set of a name of its own beside those of the data set')
    .requiredOption('--name <name>', 'what to call the set, in evaluate --queries and beside its figures')
    .requiredOption(
      '--split <valid|test>',
      'which held-out facts their hard answers need',
      parseChoice(['valid', 'test'], 'split'),
    )
    .option('--licence <spdx>', 'licence of the queries', 'unknown')
    .option('--source <text>', 'where they come from: an address, a paper', '')
    .option('--replace', 'replace the set of that name')
    .option('--json', 'print what is kept of the set as JSON')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../../actions/data/add-queries.ts')).addQueries));
}
