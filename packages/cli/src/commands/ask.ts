import type { Command } from 'commander';
import { parseSeconds, parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addReadingOptions } from './data/import-options.ts';

const examples = `
Examples:
  fuzzqe ask triples.tsv 'project(borders, France)'
  fuzzqe ask facts.ttl 'and(project(likes, Ann), not(project(owns, Ann)))' -k 5
  fuzzqe ask data/countries 'project(borders, France)' --seconds 3 --json
  fuzzqe ask data/countries 'what borders France'

Rules are mined from the facts in memory; nothing is written, and all facts are
recorded. fuzzqe run trains a model of the same triples, which answers better.`;

/** Adds `fuzzqe ask`. */
export function addAskCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('ask <triples> <query>')
    .description('answer one query from triples or a data set, without training a model')
    .option(
      '-k <n>',
      'how many answers and suggestions together (default: 10, or all entities where there are fewer)',
      parseWholeNumber(0),
    )
    .option('--seconds <n>', 'time for mining rules and weighing them, in seconds', parseSeconds, 6);
  addReadingOptions(command)
    .option('--json', 'print the answers as JSON')
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../actions/ask.ts')).askTriples));
}
