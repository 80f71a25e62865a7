import { availableParallelism } from 'node:os';
import { type Command, Option } from 'commander';
import { sampled } from '../../options/choices.ts';
import { parseWholeNumber } from '../../options/parse-options.ts';
import { doing } from '../../terminal/doing.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const examples = `
Examples:
  fuzzqe data sample data/mine --test 500
  fuzzqe data sample data/mine --structure \\
    'far = and(project(?r2, project(?r1, ?a1)), project(?r3, ?a2))'

Patterns beyond trees, for fuzzqe evaluate --queries patterns:
  fuzzqe data sample data/mine --patterns 250

Queries whose answers lack one link, two, or more, for
fuzzqe evaluate --queries balanced:
  fuzzqe data sample data/mine --balanced 300

Queries that no held-out fact has selected, to hold degrees against the true
frequency of answers with fuzzqe evaluate --queries unselected:
  fuzzqe data sample data/mine --unselected 300

As many as the published FB15k-237 queries:
  fuzzqe data sample data/fb15k-237 --train 149689 --train-negation 14968 \\
    --valid 5000 --test 5000 --every-1p`;

/** The options that patterns, balanced and unselected queries do not have. */
const ofQueries = [
  'train',
  'trainNegation',
  'valid',
  'test',
  'every1p',
  'structure',
  'skipMirrored',
  'skipIdleNegation',
];

/** Adds `fuzzqe data sample`. */
export function addSampleCommand(data: Command, terminal: Terminal): void {
  const ofPart = (part: 'train' | 'valid' | 'test', kind: string): string =>
    `${kind} queries of each structure (default: ${sampled[part]}; none where the folder has some)`;
  data
    .command('sample <folder>')
    .description(
      'queries of the 14 structures, of your own, or of patterns, with their easy and hard answers',
    )
    .option('--train <n>', ofPart('train', 'training'), parseWholeNumber(0))
    .option('--train-negation <n>', 'training queries of each structure with negation', parseWholeNumber(0))
    .option('--valid <n>', ofPart('valid', 'validation'), parseWholeNumber(0))
    .option('--test <n>', ofPart('test', 'test'), parseWholeNumber(0))
    .option('--replace', 'replace queries that are there')
    .option('--every-1p', 'list every 1p query instead of sampling some')
    .option(
      '--structure <text>',
      'one more structure to evaluate on, with placeholders; may be repeated',
      (text: string, others: readonly string[] = []) => [...others, text],
    )
    .addOption(
      new Option(
        '--patterns <n>',
        'instead of queries, validation and test patterns of each type beyond trees, such as cycles',
      )
        .argParser(parseWholeNumber(1))
        .conflicts([...ofQueries, 'balanced', 'unselected']),
    )
    .addOption(
      new Option(
        '--balanced <n>',
        'instead of queries, validation and test queries of each structure, 4p and 4i, in equal groups by their number of missing links',
      )
        .argParser(parseWholeNumber(1))
        .conflicts([...ofQueries, 'unselected']),
    )
    .addOption(
      new Option(
        '--unselected <n>',
        'instead of queries, validation and test queries of each structure that are drawn without a look at held-out facts',
      )
        .argParser(parseWholeNumber(1))
        .conflicts(ofQueries),
    )
    .option(
      '--max-answers <n>',
      'leave out training queries with more answers, and others with more hard ones',
      parseWholeNumber(1),
      100,
    )
    .option('--skip-mirrored', 'take a relation that mirrors itself as its own inverse (BetaE does not)')
    .option('--skip-idle-negation', 'leave out queries with a negation that changes nothing (BetaE does not)')
    .option(
      '--workers <n>',
      'threads to draw with; 0 for none. The queries do not depend on it',
      parseWholeNumber(0, 256),
      availableParallelism(),
    )
    .option('--seed <n>', 'seed of the queries', parseWholeNumber(0), sampled.seed)
    .addHelpText('after', examples)
    .action(doing(terminal, async () => (await import('../../actions/data/sample.ts')).sampleDataset));
}
