import { type Command, Option } from 'commander';
import type { EvaluateFlags } from '../actions/evaluate.ts';
import { profileHelp, publishedGraphs, requireSignatureHelp } from '../options/choices.ts';
import { defaultThreads, parseChoice, parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
It runs on the CPU through onnxruntime-node, whatever device trained the model.
A folder of several seeds, as fuzzqe train --seeds leaves it, is evaluated seed
by seed, with mean and standard deviation. The figures of a run are kept in its
evaluation.json, and fuzzqe export writes them into the model card.

Examples:
  fuzzqe evaluate runs/countries --data data/countries
  fuzzqe evaluate runs/seeds --data data/countries
  fuzzqe evaluate bundles/fb --data data/fb15k-237 --markdown
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries q2b
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries official.jsonl --json

q2b is a set that fuzzqe data add-queries has imported under this name. Figures
that papers print of FB15k-237 and NELL995 stand in a table of their own, beside
ours where the queries are of the same set.`;

/** Adds `fuzzqe evaluate`. */
export function addEvaluateCommand(program: Command, terminal: Terminal): void {
  program
    .command('evaluate <model>')
    .description(
      'filtered MRR and Hits@1/3/10 of a run, of the seeds of a run or of a bundle, by structure and by missing links, with four baselines',
    )
    .requiredOption('--data <folder>', 'the data set with its queries')
    .option(
      '--split <valid|test>',
      'which queries; default: those of the set that --queries names, else test',
      parseChoice(['valid', 'test'], 'split'),
    )
    .option(
      '--queries <name|file>',
      "a set of the data set's that fuzzqe data add-queries imported, or a file of queries, of which --split says the part",
    )
    .option(
      '--each <n>',
      'at most so many queries of each structure, evenly spread; their figures are not kept',
      parseWholeNumber(1),
    )
    .option(
      `--published <${publishedGraphs.join('|')}|none>`,
      'of which graph figures that papers print are shown; default: of the one that the data set is, by its size',
      parseChoice([...publishedGraphs, 'none'] as const, 'graph with published figures'),
    )
    .option(
      '--mode <embedding|sets|both>',
      'rank by the embedding of the query, or by fuzzy sets of entities with recorded facts at degree 1',
      parseChoice(['embedding', 'sets', 'both'], 'mode'),
      'both',
    )
    .option('--profile <name>', `of a bundle: ${profileHelp}`)
    .option('--require-signature <file>', `of a bundle: ${requireSignatureHelp}`)
    .option(
      '--by <relation>',
      'figures of links (1p) by relation as well, the worst first, and by which half of the missing fact is known',
      parseChoice(['relation'], 'way to tell links'),
    )
    .option('--no-baselines', 'evaluate the model alone')
    .option(
      '--threads <n>',
      'threads; the figures do not depend on them',
      parseWholeNumber(1, 256),
      defaultThreads(),
    )
    .option('--json', 'print the figures as JSON, with the hash of the file of queries')
    .addOption(new Option('--markdown', 'print the tables as Markdown').conflicts('json'))
    .addHelpText('after', examples)
    .action(async (model: string, flags: EvaluateFlags) => {
      const { evaluateModel } = await import('../actions/evaluate.ts');
      const next = await evaluateModel(terminal, model, flags);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
