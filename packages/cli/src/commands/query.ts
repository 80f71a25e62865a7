import type { Command } from 'commander';
import type { QueryFlags } from '../actions/query.ts';
import { profileHelp, requireSignatureHelp } from '../options/choices.ts';
import { parseChoice, parseDegree, parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe query`. */
export function addQueryCommand(program: Command, terminal: Terminal): void {
  program
    .command('query <bundle> <query>')
    .description('answer one query from a bundle: a folder, or hf://owner/name@revision')
    .option(
      '-k <n>',
      'how many answers (default: 10, or all entities where there are fewer)',
      parseWholeNumber(0),
    )
    .option(
      '--exclude <known|none>',
      'leave out what the graph already records',
      parseChoice(['known', 'none'], 'exclusion'),
      'none',
    )
    .option(
      '--mode <sets|embedding>',
      'by fuzzy sets of entities, or by the embedding of the query',
      parseChoice(['sets', 'embedding'], 'mode'),
      'sets',
    )
    .option('--min-degree <x>', 'the lowest degree of an answer, 0 to 1 (mode sets)', parseDegree)
    .option('--probability', 'say how likely the links are that one relation asks for (mode sets)')
    .option('--filter <query>', 'only what the recorded facts give to this query, too')
    .option('--explain', 'show the links through which each answer follows (mode sets)')
    .option('--profile <name>', profileHelp)
    .option('--require-signature <file>', requireSignatureHelp)
    .option('--json', 'print the answers as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  fuzzqe query bundles/countries 'project(borders, France)' -k 5\n  fuzzqe query bundles/countries \\\n    'and(project(borders, France), not(project(borders, Germany)))'",
    )
    .action(async (bundle: string, text: string, flags: QueryFlags) => {
      const { answerText } = await import('../actions/query.ts');
      const next = await answerText(terminal, bundle, text, flags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
