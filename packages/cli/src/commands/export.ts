import type { Command } from 'commander';
import type { ExportFlags } from '../actions/export.ts';
import { destinationNames, profileNames } from '../options/choices.ts';
import { parseChoice, parseChoices, parseWholeNumber } from '../options/parse-options.ts';
import { threadsOption } from '../options/shared-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Adds `fuzzqe export`. */
export function addExportCommand(program: Command, terminal: Terminal): void {
  program
    .command('export <run>')
    .description(
      'turn the best checkpoint of a run into a bundle of ONNX graphs, also for Workers, the Hub and Triton',
    )
    .option('--data <folder>', 'the data set of the run; not needed for a bundle')
    .option('--out <folder>', 'folder for the bundle; an older bundle there is replaced')
    .option('--repository <folder>', 'instead of --out: write to <folder>/<name>/<version>')
    .option(
      '--bundle-version <n>',
      'version in the repository, which must be new; default: the next',
      parseWholeNumber(1),
    )
    .option('--name <name>', 'name of the bundle; default: the name of the data set')
    .option(
      '--target <name>',
      `one of ${destinationNames.join(', ')}; workers: one profile, one graph for everything; hf: a repository of the Hugging Face Hub; triton: a model repository of Triton Inference Server`,
      parseChoice(destinationNames, 'target'),
      'node' as const,
    )
    .option(
      '--profile <names>',
      `precision profiles: ${profileNames.join(', ')} (default: fp32, for workers int8-basis, or int8 with relationForm blocks)`,
      parseChoices(profileNames, 'profile'),
    )
    .option(
      '--facts <train|all>',
      'which facts the bundle records: those trained on, or those held out as well; default: all where fuzzqe held them out, train where the files did',
      parseChoice(['train', 'all'], 'choice of facts'),
    )
    .option('--max-bytes <n>', 'refuse a bundle that is larger', parseWholeNumber(1))
    .option(
      '--queries <n>',
      'validation queries of each structure for measuring a profile; 0: do not measure (default: 20, fewer for large models)',
      parseWholeNumber(0),
    )
    .option('--quick', 'fit evidence on a fifth of the links and measure no profile')
    .option('--seed <n>', 'seed of the golden queries if the data set has no queries', parseWholeNumber(0), 0)
    .addOption(threadsOption('threads of the calibration; the figures do not depend on them'))
    .option('--answers <n>', 'triton: answers of a query (default: 10)', parseWholeNumber(1))
    .option(
      '--max-batch <n>',
      'triton: largest number of queries of one run (default: 32)',
      parseWholeNumber(1, 4096),
    )
    .option('--json', 'print the manifest as JSON; for triton the list of files')
    .addHelpText(
      'after',
      '\nExamples:\n  fuzzqe export runs/countries --data data/countries --out bundles/countries\n  fuzzqe export runs/countries --data data/countries --repository bundles \\\n    --name countries --profile fp32,int8 --facts train\n  fuzzqe export runs/countries --data data/countries --target workers \\\n    --out bundles/countries-worker\n  fuzzqe export bundles/countries --target hf --out bundles/countries-hub\n  fuzzqe export bundles/countries --target triton --name countries --out models',
    )
    .action(async (run: string, { target, ...flags }: ExportFlags, command: Command) => {
      const isGiven = (flag: keyof ExportFlags): boolean => command.getOptionValueSource(flag) === 'cli';
      if (target === 'triton') {
        const { exportForTriton } = await import('../actions/export-for-triton.ts');
        return exportForTriton(terminal, run, { ...flags, target }, isGiven);
      }
      const flagsOfBundle = { ...flags, target };
      const next =
        target === 'hf'
          ? await (await import('../actions/export-for-hub.ts')).exportForHub(
              terminal,
              run,
              flagsOfBundle,
              isGiven,
            )
          : await (await import('../actions/export.ts')).exportModel(terminal, run, flagsOfBundle);
      if (!flags.json) printNextCommand(terminal, next);
    });
}
