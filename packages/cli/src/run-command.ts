import { exitCodes } from './terminal/exit-code.ts';
import type { Terminal } from './terminal/terminal.ts';

/** What went wrong, as `{"error": …}` on standard output under `--json`. */
interface Failure {
  /** Of `FuzzError`, or `defect`. */
  readonly code: string;
  readonly message: string;
  readonly path: string | null;
  readonly hint: string | null;
}

/**
 * Runs the command line `args` (without the program's own name) and gives the exit code.
 *
 * @example
 * const code = await runCommand(['query', 'bundles/countries', 'project(borders, France)'], terminal, '0.1.0');
 */
export async function runCommand(
  args: readonly string[],
  terminal: Terminal,
  version: string,
): Promise<number> {
  // Loaded where they are needed: a program that imports `open` runs no command.
  const { CommanderError } = await import('commander');
  const { helpByName } = await import('./options/help-by-name.ts');
  const { createCommand } = await import('./program.ts');
  const asJson = asksForJson(args);
  let hasResult = false;
  const watched: Terminal = {
    ...terminal,
    out(line) {
      hasResult = true;
      terminal.out(line);
    },
  };
  const fail = (failure: Failure, text: string): void => {
    // Behind a result, as that of a comparison that found differences, a second value would make both unreadable.
    if (asJson && !hasResult) terminal.out(JSON.stringify({ error: failure }));
    else if (text !== '') terminal.note(text);
  };
  try {
    // Commander writes its own errors; as JSON they are written below.
    const quiet = { ...terminal, note: (): void => {} };
    const program = createCommand(watched, version, asJson ? quiet : terminal);
    await program.parseAsync(helpByName(program, args), { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0 || error.code === 'fuzzqe.verdict') return error.exitCode;
      const message = error.code === 'commander.help' ? 'expected a command' : error.message;
      const hint = `${['fuzzqe', ...(error.code === 'commander.unknownCommand' ? [] : commandOf(args))].join(' ')} --help says what it takes`;
      fail({ code: 'usage', message: message.replace(/^error: /, ''), path: null, hint }, '');
      return exitCodes.usage;
    }
    // Loaded where it is needed: help and the version need nothing of core.
    const { FuzzError, messageOf, withoutSecrets } = await import('@fuzzqe/core');
    const known = isRefusal(error)
      ? new FuzzError('storage', `the system refuses: ${error.message}`, { hint: hintOf(error) })
      : error;
    if (known instanceof FuzzError) {
      const { code, message, path = null, hint = null } = known;
      fail({ code, message, path, hint }, `fuzzqe: ${known.toString()}`);
      return exitCodes[code];
    }
    const message = withoutSecrets(messageOf(error));
    const trace = withoutSecrets((error instanceof Error ? error.stack : undefined) ?? message);
    fail({ code: 'defect', message, path: null, hint: null }, `fuzzqe: a defect of this program: ${trace}`);
    return 1;
  } finally {
    terminal.status('');
  }
}

/** Whether an error says that a disk or folder could not be used, where nothing nearer to it said so. */
function isRefusal(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) return false;
  return (
    'path' in error ||
    error.syscall === 'uv_cwd' ||
    ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'].includes(String(error.code))
  );
}

function hintOf({ code, syscall }: NodeJS.ErrnoException): string {
  if (syscall === 'uv_cwd') return 'The current folder was removed: change into another one.';
  return code === 'EMFILE' || code === 'ENFILE'
    ? 'It has too many files open: raise the limit with ulimit -n.'
    : 'Check the disk.';
}

/** Whether the arguments ask for JSON; what follows `--` are no options. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).includes('--json');
}

/** The command and subcommand that the arguments begin with. */
function commandOf(args: readonly string[]): readonly string[] {
  const [command, subcommand] = args;
  if (command === undefined || !/^[a-z]+(?:-[a-z]+)*$/.test(command)) return [];
  return ['data', 'index', 'new', 'sweep'].includes(command) && /^[a-z]+$/.test(subcommand ?? '')
    ? [command, subcommand!]
    : [command];
}
