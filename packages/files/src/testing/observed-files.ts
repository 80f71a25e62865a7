import type { FileHandle } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';

/** Node's module of files, as code under test imports it. */
export type FileModule = typeof import('node:fs/promises');

/** A call that changes what is on a disk, or makes sure that it stays. */
export type DiskCall =
  | { readonly kind: 'open'; readonly handle: number; readonly path: string; readonly flags: string }
  | { readonly kind: 'write'; readonly handle: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly handle: number; readonly size: number }
  | { readonly kind: 'sync'; readonly handle: number }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string };

/** What is recorded, and which call fails. */
interface Observation {
  readonly root: string;
  readonly calls: DiskCall[];
  readonly failure: DiskFailure | undefined;
}

/** Which call fails, with the code of an error of the system; all later ones too if the failure lasts. */
export interface DiskFailure {
  readonly call: number;
  readonly code: string;
  readonly lasts?: boolean;
}

let actual: FileModule | undefined;
let observation: Observation | undefined;

/** Node's own module of files, whatever a test has put in its place. */
export function actualFiles(): FileModule {
  if (actual === undefined)
    throw new Error("the test replaces the module first: vi.mock('node:fs/promises', … observedFiles(…))");
  return actual;
}

/**
 * Runs `work`, and gives the calls it makes below a folder, in order. One of them, counted from 0, may fail with the code of an
 * error of the system, and all later ones; a write that fails writes half.
 *
 * Calls are seen of code that imports `node:fs/promises`, which the test replaces: see `actualFiles`.
 */
export async function observe(
  root: string,
  work: () => Promise<unknown>,
  failure?: DiskFailure,
): Promise<readonly DiskCall[]> {
  if (observation !== undefined) throw new Error('one observation at a time');
  observation = { root: resolve(root), calls: [], failure };
  const { calls } = observation;
  try {
    await work();
    return calls;
  } finally {
    observation = undefined;
  }
}

/** Records a call if it is to be, or throws in its place. `half` is what a call that fails does all the same. */
async function note(path: string, call: DiskCall, half?: () => Promise<unknown>): Promise<void> {
  if (observation === undefined) return;
  const { root, calls, failure } = observation;
  if (path !== root && !path.startsWith(root + sep)) return;
  if (failure?.call === calls.length || (failure?.lasts === true && failure.call < calls.length)) {
    calls.push(call);
    await half?.();
    const error = new Error(`${failure.code}: as the test wants it, ${call.kind} '${path}'`);
    throw Object.assign(error, { code: failure.code, syscall: call.kind });
  }
  calls.push(call);
}

let handles = 0;

/** The module with every call that changes a disk recorded, where an observation is under way. */
export function observedFiles(module: FileModule): FileModule {
  actual = module;
  const open: FileModule['open'] = async (name, flags = 'r', mode) => {
    const path = resolve(String(name));
    handles += 1;
    const handle = handles;
    await note(path, { kind: 'open', handle, path, flags: String(flags) });
    return observedHandle(await module.open(path, flags, mode), path, handle);
  };
  const writeFile: FileModule['writeFile'] = async (name, data) => {
    const file = await open(String(name), 'w');
    await file.writeFile(data as string | Uint8Array).finally(() => file.close());
  };
  const remove = async (name: string, work: () => Promise<void>): Promise<void> => {
    for (const path of await below(module, resolve(name))) await note(path, { kind: 'remove', path });
    await work();
  };
  return {
    ...module,
    open,
    writeFile,
    async copyFile(source, target) {
      await writeFile(String(target), await module.readFile(source));
    },
    async rename(from, to) {
      const path = resolve(String(from));
      await note(path, { kind: 'rename', path, to: resolve(String(to)) });
      await module.rename(from, to);
    },
    async link(from, to) {
      const path = resolve(String(from));
      // A name that something has takes no other.
      await module.link(from, to);
      await note(path, { kind: 'link', path, to: resolve(String(to)) });
    },
    rm: (name, options) => remove(String(name), () => module.rm(name, options)),
    rmdir: async (name) => {
      // One that is not empty is not removed.
      await module.rmdir(name);
      await note(resolve(String(name)), { kind: 'remove', path: resolve(String(name)) });
    },
    unlink: (name) => remove(String(name), () => module.unlink(name)),
    // The overloads differ in what they return, which this passes on.
    mkdir: (async (name: string, options?: { readonly recursive?: boolean }) => {
      const path = resolve(name);
      if (options?.recursive === true) throw new Error(`${path}: folders are made one by one, each flushed`);
      const made = await module.mkdir(path, options);
      await note(path, { kind: 'folder', path });
      return made;
    }) as FileModule['mkdir'],
    mkdtemp: (async (prefix: string) => {
      const path = await module.mkdtemp(prefix);
      await note(resolve(path), { kind: 'folder', path: resolve(path) });
      return path;
    }) as FileModule['mkdtemp'],
  };
}

function observedHandle(file: FileHandle, path: string, handle: number): FileHandle {
  const write = async (data: string | Uint8Array): Promise<void> => {
    const bytes = Uint8Array.from(typeof data === 'string' ? Buffer.from(data) : data);
    const half = (): Promise<unknown> => file.writeFile(bytes.subarray(0, bytes.length >> 1));
    await note(path, { kind: 'write', handle, bytes }, half);
    await file.writeFile(bytes);
  };
  const sync = async (): Promise<void> => {
    await file.sync();
    await note(path, { kind: 'sync', handle });
  };
  const truncate = async (size = 0): Promise<void> => {
    await note(path, { kind: 'truncate', handle, size });
    await file.truncate(size);
  };
  const own: Readonly<Record<string, unknown>> = {
    writeFile: write,
    appendFile: write,
    sync,
    datasync: sync,
    truncate,
  };
  return new Proxy(file, {
    get(target, name) {
      if (typeof name === 'string' && name in own) return own[name];
      if (name === 'write' || name === 'writev')
        throw new Error(`${String(name)} of an open file is not observed: write with writeFile`);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A path and all below it, the lowest first; nothing where it is not there. */
async function below(module: FileModule, path: string): Promise<string[]> {
  const found = await module.lstat(path).catch(() => undefined);
  if (found === undefined) return [];
  const names = found.isDirectory() ? (await module.readdir(path)).sort() : [];
  const inner: string[] = [];
  for (const name of names) inner.push(...(await below(module, join(path, name))));
  return [...inner, path];
}
