import type { Command } from 'commander';

/**
 * Ends a command whose options or arguments are empty texts: what a script passes whose variable is not set. An empty path is the
 * current folder to whatever resolves it, and would be written to.
 */
export function refuseEmpty(command: Command): void {
  const refuse = (what: string): never =>
    command.error(`error: ${what}: expected a value, got an empty one; is a variable not set?`);
  for (const option of command.options) {
    const name = option.attributeName();
    // A default may be empty, and is meant.
    if (command.getOptionValueSource(name) !== 'cli') continue;
    if ([command.getOptionValue(name)].flat().includes('')) refuse(`option '${option.flags}'`);
  }
  const position = command.args.indexOf('');
  // The last argument may be of several values.
  const argument = command.registeredArguments[position] ?? command.registeredArguments.at(-1);
  if (position !== -1) refuse(`argument '${argument?.name()}'`);
}
