import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/** The folders of packages/ that hold a package. */
export const packageNames: readonly string[] = readdirSync(join(root, 'packages'))
  .filter((name) => existsSync(join(root, 'packages', name, 'package.json')))
  .sort();

/** The name by which a package of packages/ is installed. */
export const packageNameOf = (folder: string): string =>
  folder === 'cli' ? 'fuzzqe' : folder === 'create-fuzzqe' ? folder : `@fuzzqe/${folder}`;

export type Json = Record<string, unknown>;

/** Reads a JSON file that holds an object. */
export function readJson(path: string): Json {
  return JSON.parse(readFileSync(path, 'utf8')) as Json;
}

/** The files that git tracks or would add, with `/` between folders. */
export function repositoryFiles(): readonly string[] {
  const { stdout } = run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    program: true,
  });
  return stdout.split('\0').filter((path) => path !== '');
}

/** What a process said and how it ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Node on a script of the repository, or with arguments alone (`node`), or a program of the system (`program`). */
export function run(
  what: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly node?: boolean; readonly program?: boolean } = {},
): Ended {
  const { cwd = root, node = false, program = false } = options;
  const [file, rest] = program ? [what, args] : [process.execPath, [node ? what : join(root, what), ...args]];
  const { status, stdout, stderr, error } = spawnSync(file, rest, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}
