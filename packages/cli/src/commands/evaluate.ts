import { type Command, Option } from 'commander';
import { evaluatedModes, profileHelp, publishedGraphs, requireSignatureHelp } from '../options/choices.ts';
import { parseChoice, parseWholeNumber } from '../options/parse-options.ts';
import { threadsOption } from '../options/shared-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const examples = `
The command runs on the CPU through onnxruntime-node.
A folder of several seeds, as fuzzqe train --seeds leaves it, is evaluated seed
by seed, with mean and standard deviation. The figures of a run are kept in its
evaluation.json, and fuzzqe export writes them into the model card.

Examples:
  fuzzqe evaluate runs/countries --data data/countries
  fuzzqe evaluate runs/seeds --data data/countries
  fuzzqe evaluate bundles/fb --data data/fb15k-237 --markdown
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries q2b
  fuzzqe evaluate runs/fb --data data/fb15k-237 --mode qto --each 50
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries patterns
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries balanced
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries unselected
  fuzzqe evaluate runs/fb --data data/fb15k-237 --queries official.jsonl --json

q2b is a set that fuzzqe data add-queries has imported under this name;
patterns, balanced and unselected are what fuzzqe data sample with these options
has drawn. Unselected queries judge degrees instead of ranks. Figures that
papers print of FB15k-237 and NELL995 stand in a table of their own, with ours
if the queries are of the same set, or balanced.`;

/** Adds `fuzzqe evaluate`. */
export function addEvaluateCommand(program: Command, terminal: Terminal): void {
  program
    .command('evaluate <model>')
    .description('measure filtered MRR and Hits@1/3/10 of a run or a bundle, by structure, with baselines')
    .requiredOption('--data <folder>', 'the data set with its queries')
    .option(
      '--split <valid|test>',
      'part of the queries; default: the part that --queries names, otherwise test',
      parseChoice(['valid', 'test'], 'split'),
    )
    .option(
      '--queries <name|file>',
      'a query set that fuzzqe data add-queries imported, patterns, balanced, unselected, or a file of queries or patterns of the part that --split names',
    )
    .option(
      '--each <n>',
      'at most this many queries of each structure, evenly spread; their figures are not kept',
      parseWholeNumber(1),
    )
    .option(
      `--published <${publishedGraphs.join('|')}|none>`,
      'show figures that papers print for this graph; default: the graph that the data set is, by its size',
      parseChoice([...publishedGraphs, 'none'] as const, 'graph with published figures'),
    )
    .option(
      '--mode <name>',
      'answer mode: sets (fuzzy sets of entities, recorded facts at degree 1), embedding (of the query), both; for a run also beam-product, beam-min (CQD-beam), qto, or all',
      parseChoice(evaluatedModes, 'mode'),
      'both',
    )
    .option(
      '--beam <n>',
      'of CQD-beam: entities that a variable keeps, the best ones (default: 64)',
      parseWholeNumber(1),
    )
    .option('--profile <name>', `of a bundle: ${profileHelp}`)
    .option('--require-signature <file>', `of a bundle: ${requireSignatureHelp}`)
    .option(
      '--by <relation|half-links>',
      'also figures of 1p queries by relation, worst first; or of all queries by which halves of their missing facts are known',
      parseChoice(['relation', 'half-links'], 'way to tell answers apart'),
    )
    .option('--no-baselines', 'evaluate only the model')
    .addOption(threadsOption('threads; the figures do not depend on them'))
    .option('--json', 'print the figures as JSON, with the hash of the file of queries')
    .addOption(new Option('--markdown', 'print the tables as Markdown').conflicts('json'))
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../actions/evaluate.ts')).evaluateModel));
}
