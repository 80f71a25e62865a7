/** An argument as a POSIX shell takes it whole. */
export function quoteArgument(argument: string): string {
  if (/^[\w@%+=:,./…-]+$/.test(argument)) return argument;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
