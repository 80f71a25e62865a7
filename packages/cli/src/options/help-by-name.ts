import type { Command } from 'commander';

/**
 * The arguments with `help data import` as `data import --help`. Where a word before the help is no command, it is all that is left of
 * them, so that it is refused as it is without help: commander shows the help of all commands instead, without a word of it.
 */
export function helpByName(program: Command, args: readonly string[]): readonly string[] {
  const wanted = args.some((word) => ['help', '--help', '-h'].includes(word));
  const path: string[] = [];
  let command = program;
  let isFirst = false;
  for (const word of args) {
    // What follows is what the command takes, and may be the word help.
    if (!wanted || command.commands.length === 0) break;
    if (word === 'help') {
      isFirst = true;
      continue;
    }
    const named = command.commands.find((each) => each.name() === word);
    if (named === undefined) return word.startsWith('-') ? args : [...path, word];
    path.push(word);
    command = named;
  }
  return isFirst ? [...path, '--help'] : args;
}
