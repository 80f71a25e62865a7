import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FuzzError, schema } from '@fuzzqe/core';
import { createFile, unfinishedName } from '../files/create-file.ts';
import { isRunning } from './is-running.ts';
import { thisMachine } from './this-machine.ts';

/** A lock that this process holds. */
export interface Lock {
  /** Throws 'runtime' where it was taken away: by hand, or because this machine stood still for long. */
  expectHeld(): Promise<void>;
  release(): Promise<void>;
}

/** Who holds a lock, as its file says. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** Tells processes that its own system lists from those of another container or machine of that name; absent where the system does not say. */
  readonly machine?: string | undefined;
  /** When it was taken: ISO 8601, in UTC. */
  readonly started: string;
  /** Tells it from every other lock. */
  readonly token: string;
}

const holderSchema: schema.Schema<LockHolder> = schema.object({
  pid: schema.integer({ min: 1 }),
  host: schema.string,
  machine: schema.optional(schema.string),
  started: schema.string,
  token: schema.string,
});

/** Milliseconds between two signs of life of a holder. */
const refreshed = 10_000;
/** Milliseconds without a sign of life until the lock of another machine counts as left behind: its clock may differ. */
const forgotten = 10 * 60_000;
/** The same for another container or an earlier start of a machine of our name, which begins again soon. */
const forgottenNamesake = 60_000;
/** Milliseconds that a lock may take to be written, so that one that cannot be read may be about to be. */
const writing = 10_000;

/** Locks of this process: their tokens. */
const held = new Set<string>();

/** Where the file of a lock lies, and what it is the lock of. */
export interface LockPlace {
  readonly folder: string;
  /** What the file's name begins with. Default: nothing, for the lock of the folder itself. */
  readonly prefix?: string;
  /** For messages: what must not be written by two processes. */
  readonly what: string;
  /** Milliseconds to wait for anyone who holds it. Default 0; for what is written in a moment. */
  readonly patience?: number;
  /**
   * Whether to wait until a holder of our host name in another container gives a sign of life. A container that was killed and starts
   * again finds its own lock. Default false.
   */
  readonly restarts?: boolean | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Takes a lock: an exclusive file `<prefix>lock-<n>.json` in the folder, that says who holds it.
 *
 * What a process left behind that has ended, or whose machine has started again since, is taken over by the next number;
 * a file of that number can be made once only, so that two processes never take over both. On another machine a holder counts as gone
 * that has given no sign of life for ten minutes, and in another container of the same host name after one minute. The file has its content from the moment that it is there, so that a process
 * that is killed while it takes a lock keeps nobody out.
 *
 * @throws FuzzError `runtime`: another process holds it. `storage`: the file cannot be written. `interrupted`: by the signal, while it waited.
 * @example
 * const lock = await takeLock({ folder, what: 'an import' });
 * await lock.release();
 */
export async function takeLock(place: LockPlace): Promise<Lock> {
  const until = performance.now() + (place.patience ?? 0);
  let sign: number | undefined;
  for (;;) {
    const found = await tryLock(place);
    if ('release' in found) return found;
    sign ??= found.seen;
    const isSilent = found.isNamesake && sign === found.seen;
    if (performance.now() >= until && !(place.restarts === true && isSilent)) throw inUse(place.what, found);
    await wait(100, undefined, { ...(place.signal === undefined ? {} : { signal: place.signal }) }).catch(
      (cause: unknown) => {
        throw new FuzzError('interrupted', 'stopped while another process held the lock', {
          path: place.what,
          cause,
        });
      },
    );
  }
}

/** The lock, or the file of whoever holds it. */
async function tryLock(place: LockPlace): Promise<Lock | FoundLock> {
  const { folder, prefix = '', what } = place;
  for (;;) {
    const found = await locksOf(place);
    const alive = found.find(({ isAlive }) => isAlive);
    if (alive !== undefined) return alive;
    const path = join(folder, `${prefix}lock-${(found.at(-1)?.number ?? 0) + 1}.json`);
    const token = randomUUID();
    // Before the file is there: others of this process take one that nobody holds for what an earlier one left.
    held.add(token);
    const isMade = await create(path, token).catch((cause: unknown) => {
      held.delete(token);
      throw cause;
    });
    if (!isMade) {
      held.delete(token);
      continue;
    }
    const lock = lockAt(path, token, what);
    try {
      // Somebody may have looked before and made a file of another number: then both see each other here.
      const others = (await locksOf(place)).filter((each) => each.path !== path);
      const rival = others.find(({ isAlive }) => isAlive);
      if (rival !== undefined) {
        await lock.release();
        return rival;
      }
      for (const stale of others) await rm(stale.path, { force: true });
      await removeUnfinished(place);
    } catch (cause) {
      await lock.release();
      throw cause;
    }
    return lock;
  }
}

function lockAt(path: string, token: string, what: string): Lock {
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, refreshed);
  timer.unref();
  return {
    async expectHeld() {
      if ((await holderAt(path))?.token === token) return;
      throw new FuzzError('runtime', 'the lock was taken away while this was going on', {
        path: what,
        hint: `Nothing more is written here; what was written before is whole. Was ${path} removed, or did another process take over while this machine stood still?`,
      });
    },
    async release() {
      clearInterval(timer);
      held.delete(token);
      if ((await holderAt(path))?.token === token) await rm(path, { force: true });
    },
  };
}

/** A file of a lock. */
interface FoundLock {
  readonly path: string;
  readonly number: number;
  readonly holder: LockHolder | undefined;
  /** Its last sign of life, in milliseconds since 1970. */
  readonly seen: number;
  readonly isAlive: boolean;
  /** Whether it is of another container or start of a machine of our name. */
  readonly isNamesake: boolean;
}

/** The locks of a place, by number. */
async function locksOf({ folder, prefix = '' }: LockPlace): Promise<FoundLock[]> {
  const found: FoundLock[] = [];
  for (const name of await readdir(folder)) {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    const number = /^lock-(\d+)\.json$/.exec(rest)?.[1];
    if (number === undefined) continue;
    const path = join(folder, name);
    const look = await lookAt(path);
    if (look !== undefined) found.push({ path, number: Number(number), ...look });
  }
  return found.sort((a, b) => a.number - b.number);
}

/** Who holds what lies there; undefined where it was released meanwhile. */
async function lookAt(path: string): Promise<Omit<FoundLock, 'path' | 'number'> | undefined> {
  const holder = await holderAt(path);
  const seen = (await stat(path).catch(() => undefined))?.mtimeMs;
  if (seen === undefined) return undefined;
  const isNamesake = holder !== undefined && !isHere(holder) && holder.host === hostname();
  return { holder, seen, isNamesake, isAlive: await isAlive(holder, Date.now() - seen, isNamesake) };
}

/** Removes what processes left that were killed before their file had its name. */
async function removeUnfinished({ folder, prefix = '' }: LockPlace): Promise<void> {
  for (const name of await readdir(folder)) {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    if (!/^lock-\d+\.json$/.test(rest.replace(unfinishedName, '')) || !unfinishedName.test(rest)) continue;
    const path = join(folder, name);
    if ((await lookAt(path))?.isAlive === false) await rm(path, { force: true });
  }
}

async function isAlive(
  holder: LockHolder | undefined,
  silence: number,
  isNamesake: boolean,
): Promise<boolean> {
  if (holder === undefined) return silence < writing;
  if (!isHere(holder)) return silence < (isNamesake ? forgottenNamesake : forgotten);
  // A lock with our number that is not ours is that of an earlier process.
  if (holder.pid === process.pid) return held.has(holder.token);
  return isRunning(holder.pid, Date.parse(holder.started));
}

/** Whether its number is that of a process which this one can see; by the name of the host where one of the two does not know more. */
function isHere({ host, machine }: LockHolder): boolean {
  const here = thisMachine();
  return machine === undefined || here === undefined ? host === hostname() : machine === here;
}

async function holderAt(path: string): Promise<LockHolder | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : schema.recogniseJson(holderSchema, text);
}

/** Whether the file was made; not where there is one already. */
async function create(path: string, token: string): Promise<boolean> {
  const machine = thisMachine();
  const holder: LockHolder = {
    pid: process.pid,
    host: hostname(),
    ...(machine === undefined ? {} : { machine }),
    started: new Date().toISOString(),
    token,
  };
  return createFile(path, `${JSON.stringify(holder)}\n`);
}

function inUse(what: string, { path, holder }: FoundLock): FuzzError {
  const who =
    holder === undefined
      ? 'another process'
      : `process ${holder.pid} on ${holder.host}, since ${holder.started}`;
  return new FuzzError('runtime', `expected nobody else to write here, but ${who} does`, {
    path: what,
    hint: `Wait until it has ended, or stop it. If it is gone for sure, remove ${path}.`,
  });
}
