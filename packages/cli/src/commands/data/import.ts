import type { Command } from 'commander';
import { parseWholeNumber } from '../../options/parse-options.ts';
import { doing } from '../../terminal/doing.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { addImportOptions } from './import-options.ts';

const examples = `
Example:
  fuzzqe data import triples.tsv --out data/mine
  fuzzqe data import triples.tsv --hold-out 0 --out data/all
  fuzzqe data import triples.csv.gz --header yes --out data/mine
  fuzzqe data import export.tsv --comment '#' --ignore-extra --out data/mine
  fuzzqe data import facts.ttl --language de --out data/mine
  fuzzqe data import ontology.nq.gz --skip-blank --out data/mine
  fuzzqe data import CoDEx/s --out data/codex-s
  fuzzqe data import FB15k-237-betae --out data/fb15k-237
  fuzzqe data import postgres://ann@host/db --query-file q.sql --out data/mine

TSV has head, relation and tail between tabs. A folder has train.txt, valid.txt,
test.txt and entities.tsv, or the BetaE layout with its queries.
With --hold-out 0 every fact is for training; nothing is left to evaluate on.`;

/** Adds `fuzzqe data import`. */
export function addImportCommand(data: Command, terminal: Terminal): void {
  const command = data
    .command('import <path>')
    .description(
      'your own graph: a file of triples, a folder of a published data set, or a query to a server',
    )
    .requiredOption('--out <folder>', 'where the data set goes; a folder that does not exist yet')
    .option('--name <name>', 'what to call the data set; default: after the folder it goes to');
  addImportOptions(command)
    .option('--seed <n>', 'seed of the split', parseWholeNumber(0), 1)
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../../actions/data/import.ts')).importGraph));
}
