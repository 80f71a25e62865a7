import { realpath } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { Command } from 'commander';

/**
 * Has what a command is told of paths mean what it means to the system and to other commands: in `link/../x`, `..` is the folder above
 * the one that the link leads to. Node's `join` and `resolve` leave out `link/..` before any link is followed, wherever they are used,
 * so this stands before all of them. Texts that are no paths lead through no link, and stay.
 */
export async function followLinks(command: Command): Promise<void> {
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') continue;
    command.setOptionValueWithSource(name, await followed(command.getOptionValue(name)), 'cli');
  }
  for (const [position, value] of command.processedArgs.entries())
    command.processedArgs[position] = await followed(value);
}

/** A text, or texts, of which each is followed; any other value as it is. */
async function followed(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(followed));
  return typeof value === 'string' ? placeOf(value) : value;
}

/** The path without `..` where that stands behind a link, and otherwise as it is; what is not there yet has no links. */
async function placeOf(path: string): Promise<string> {
  const parts = path.split('/');
  const end = parts.lastIndexOf('..') + 1;
  // Windows itself leaves them out first.
  if (end === 0 || process.platform === 'win32') return path;
  let at = isAbsolute(path) ? '/' : '.';
  for (const part of parts.slice(0, end)) at = join(part === '..' ? await realOf(at) : at, part);
  if ((await realOf(at)) === (await realOf(resolve(parts.slice(0, end).join('/'))))) return path;
  return [at, ...parts.slice(end)].join('/');
}

function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path));
}
