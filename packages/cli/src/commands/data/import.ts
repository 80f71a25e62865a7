import { type Command, Option } from 'commander';
import type { ImportFlags } from '../../actions/data/import.ts';
import { importFormats } from '../../options/choices.ts';
import { parseHoldOutShare, parseWholeNumber } from '../../options/parse-options.ts';
import { printNextCommand } from '../../terminal/next-command.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const examples = `
Example:
  fuzzqe data import triples.tsv --out data/mine
  fuzzqe data import triples.tsv --hold-out 0 --out data/all
  fuzzqe data import triples.csv.gz --header yes --out data/mine
  fuzzqe data import export.tsv --comment '#' --ignore-extra --out data/mine
  fuzzqe data import facts.ttl --label-language de --out data/mine
  fuzzqe data import ontology.nq.gz --skip-blank --out data/mine
  fuzzqe data import CoDEx/s --out data/codex-s
  fuzzqe data import FB15k-237-betae --out data/fb15k-237

TSV has head, relation and tail between tabs. A folder has train.txt, valid.txt,
test.txt and entities.tsv, or the BetaE layout with its queries.
With --hold-out 0 every fact is for training; nothing is left to evaluate on.`;

/** Adds `fuzzqe data import`. */
export function addImportCommand(data: Command, terminal: Terminal): void {
  data
    .command('import <path>')
    .description('your own graph: a file of triples, or a folder of a published data set')
    .requiredOption('--out <folder>', 'where the data set goes; a folder that does not exist yet')
    .addOption(new Option('--format <form>', 'the form of the files').choices(importFormats).default('auto'))
    .option('--name <name>', 'what to call the data set; default: after the folder it goes to')
    .option('--licence <spdx>', 'licence of the facts', 'unknown')
    .option('--valid <triples>', 'validation facts; without them some are held out')
    .option('--test <triples>', 'test facts; without them some are held out')
    .option(
      '--hold-out <share>',
      'share of the facts to hold out for validation, and for the test as many (default: 0.1); 0: none',
      parseHoldOutShare,
    )
    .option('--entities <tsv>', 'names: key, label, description; or id, key, label, description')
    .option('--relations <tsv>', 'the same for relations')
    .addOption(
      new Option('--header <when>', 'whether TSV and CSV begin with titles')
        .choices(['auto', 'yes', 'no'])
        .default('auto'),
    )
    .option('--comment <text>', "pass over lines of TSV and CSV that begin with it, as '#'")
    .option(
      '--ignore-extra',
      'read three columns of TSV and CSV that have more; which ones, a header may say',
    )
    .option(
      '--label-language <tag>',
      'which labels of RDF to take: rdfs:label, skos:prefLabel, schema:name',
      'en',
    )
    .option('--skip-blank', 'leave out RDF triples with a blank node as subject or object')
    .option('--drop-unseen', 'leave out held-out facts about entities that no training fact names')
    .option('--seed <n>', 'seed of the split', parseWholeNumber(0), 0)
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', examples)
    .action(async (path: string, flags: ImportFlags) => {
      const { importGraph } = await import('../../actions/data/import.ts');
      const next = await importGraph(terminal, path, flags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
