import { availableParallelism } from 'node:os';
import { Option } from 'commander';
import { parityRuntimeNames } from './choices.ts';
import { parseChoices, parseWholeNumber } from './parse-options.ts';

/** `--threads`; unless given at most four: more gain nothing at the sizes that a CPU can train. */
export function threadsOption(help = 'threads'): Option {
  return new Option('--threads <n>', help)
    .argParser(parseWholeNumber(1, 256))
    .default(Math.min(4, availableParallelism()));
}

/** `--steps` of a training. */
export function stepsOption(): Option {
  return new Option(
    '--steps <n>',
    'training steps; training may stop earlier, when validation stalls',
  ).argParser(parseWholeNumber(1));
}

/** `--runtimes` of a command that publishes no bundle without parity. */
export function passingRuntimesOption(): Option {
  return new Option(
    '--runtimes <names>',
    'runtimes that must pass the parity check, separated by commas; default: node,web',
  ).argParser(parseChoices(parityRuntimeNames, 'runtime'));
}
