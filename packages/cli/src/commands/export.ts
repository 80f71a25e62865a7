import type { Command } from 'commander';
import type { ExportFlags } from '../actions/export.ts';
import { destinationNames, profileNames } from '../options/choices.ts';
import { defaultThreads, parseChoice, parseChoices, parseWholeNumber } from '../options/parse-options.ts';
import { printNextCommand } from '../terminal/next-command.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Validation queries of each structure that a profile is measured on, unless the command says otherwise. */
const measured = 20;

/** Adds `fuzzqe export`. */
export function addExportCommand(program: Command, terminal: Terminal): void {
  program
    .command('export <run>')
    .description(
      'turn the best checkpoint of a run into a bundle of ONNX graphs, or for the Hub and for Triton a bundle as well',
    )
    .option('--data <folder>', 'the data set that it was trained on; a bundle needs none')
    .option('--out <folder>', 'where it goes; an older bundle there is replaced')
    .option('--repository <folder>', 'instead of --out: it goes to <folder>/<name>/<version>')
    .option(
      '--bundle-version <n>',
      'its version there, which must be new; by default the next',
      parseWholeNumber(1),
    )
    .option('--name <name>', 'what to call it; the name of the data set without this')
    .option(
      '--target <name>',
      `where it is to be used: ${destinationNames.join(', ')}; for workers one profile, with one graph for everything; hf is a bundle as a repository of the Hugging Face Hub, triton a model repository of Triton Inference Server`,
      parseChoice(destinationNames, 'target'),
      'node' as const,
    )
    .option(
      '--profile <names>',
      `stored forms: ${profileNames.join(', ')} (default: fp32, for workers int8-basis, or int8 where relations are blocks)`,
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
      'validation queries of each structure that a profile is measured on; 0 leaves it out',
      parseWholeNumber(0),
      measured,
    )
    .option('--quick', 'fit evidence on a fifth of the links and measure no profile')
    .option('--seed <n>', 'seed of golden queries where none were sampled', parseWholeNumber(0), 0)
    .option(
      '--threads <n>',
      'threads of a calibration; they change no figure',
      parseWholeNumber(1, 256),
      defaultThreads(),
    )
    .option('--answers <n>', 'triton: how many answers a query gets (default: 10)', parseWholeNumber(1))
    .option(
      '--max-batch <n>',
      'triton: how many queries one run takes at most (default: 32)',
      parseWholeNumber(1, 4096),
    )
    .option('--json', 'print the manifest as JSON, for triton what was written')
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
