import { type Command, CommanderError } from 'commander';
import type { QueryFlags } from '../actions/query.ts';
import { profileHelp, requireSignatureHelp } from '../options/choices.ts';
import { parseChoice, parseDate, parseDegree, parseWholeNumber } from '../options/parse-options.ts';
import { verdictCodes } from '../terminal/exit-code.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe query`. */
export function addQueryCommand(program: Command, terminal: Terminal): void {
  program
    .command('query <bundle> <query>')
    .description('answer one query or pattern from a bundle (a folder or hf://owner/name@revision)')
    .option(
      '-k <n>',
      'number of answers and suggestions together (default: 10, at most all entities)',
      parseWholeNumber(0),
    )
    .option(
      '--exclude <known|none>',
      'known: leave out answers that the recorded facts give',
      parseChoice(['known', 'none'], 'exclusion'),
      'none',
    )
    .option(
      '--mode <sets|embedding>',
      'answer mode: fuzzy sets of entities, or the embedding of the query',
      parseChoice(['sets', 'embedding'], 'mode'),
      'sets',
    )
    .option(
      '--min-degree <x>',
      'the lowest degree of an answer that is not recorded, 0 to 1 (default: 0.5, mode sets)',
      parseDegree,
    )
    .option('--no-suggestions', 'leave out the best entities below that degree (mode sets)')
    .option(
      '--is <entity>',
      'say whether this entity is an answer: yes, no or not known, and why (mode sets)',
    )
    .option('--filter <query>', 'keep only answers that the recorded facts also give for this second query')
    .option('--count', 'count the recorded answers, and the answers that are expected to be right')
    .option(
      '--links <n>',
      'of a pattern, how many links are computed at most (default: 64)',
      parseWholeNumber(1),
    )
    .option(
      '--width <n>',
      'of a pattern, how many entities are tried for a variable at most (default: 256)',
      parseWholeNumber(1),
    )
    .option('--csv', 'print the answers as a table of comma-separated values')
    .option(
      '--at <date>',
      'count only the facts that hold at this date: 2001, 2001-05 or 2001-05-31 (mode sets)',
      parseDate,
    )
    .option('--explain', 'show the facts that each answer rests on (mode sets)')
    .option('--index <url>', 'find candidates in an index made by fuzzqe index push')
    .option('--profile <name>', profileHelp)
    .option('--require-signature <file>', requireSignatureHelp)
    .option('--json', 'print the answers as JSON')
    .addHelpText(
      'after',
      "\nExamples:\n  fuzzqe query bundles/countries 'project(borders, France)' -k 5\n  fuzzqe query bundles/countries \\\n    'and(project(borders, France), not(project(borders, Germany)))'\n  fuzzqe query bundles/countries 'project(borders, France)' --is Spain\n  fuzzqe query bundles/countries '?x, ?y : borders(?x, ?y), borders(?x, France)'\n  fuzzqe query bundles/countries 'borders(France, Spain)'\n  fuzzqe query bundles/countries 'What borders France but not Germany?'",
    )
    .action(async (bundle: string, text: string, flags: QueryFlags) => {
      const { answerText } = await import('../actions/query.ts');
      const { next, verdict = 'yes' } = await answerText(terminal, bundle, text, flags);
      if (!flags.json && flags.is === undefined) printNextCommand(terminal, next);
      if (verdict !== 'yes') throw new CommanderError(verdictCodes[verdict], 'fuzzqe.verdict', verdict);
    });
}
