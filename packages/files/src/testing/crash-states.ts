import { basename, dirname, join, resolve } from 'node:path';
import { actualFiles, type DiskCall, observe } from './observed-files.ts';

/** A file as the system shows it, and as much of it as is on the disk for sure. */
interface FileNode {
  readonly kind: 'file';
  data: Uint8Array;
  durable: Uint8Array;
}

/** A folder as the system shows it, as it is on the disk for sure, and the changes between the two, in order. */
interface FolderNode {
  readonly kind: 'folder';
  readonly entries: Map<string, Node>;
  readonly durable: Map<string, Node>;
  readonly pending: Change[];
}

type Node = FileNode | FolderNode;
type Change = (entries: Map<string, Node>) => void;

/** What a power cut may make of bytes that were written and not flushed. */
const fates = {
  lost: ({ durable }) => durable,
  kept: ({ data }) => data,
  torn: ({ data, durable }) => data.slice(0, (data.length + Math.min(data.length, durable.length)) >> 1),
  zeros: ({ data, durable }) => {
    const zeros = new Uint8Array(data.length);
    zeros.set(data.subarray(0, durable.length));
    return zeros;
  },
} as const satisfies Record<string, (file: FileNode) => Uint8Array>;

/** What may be found after a power cut. */
export interface CrashState {
  /** A folder with it. */
  readonly folder: string;
  /** Whether everything had returned before. */
  readonly isFinished: boolean;
  /** After which call, and what became of the unflushed. */
  readonly description: string;
}

/**
 * Runs `work` and visits everything that a power cut at any moment of it, or after it, may leave of a folder.
 *
 * After each call, of what is not flushed yet: in each folder the changes of names up to any one of them may be on the disk, in
 * the order they were made, whatever is in other folders; of each file what was written since its last flush may be there,
 * missing, there by half, or zeros. States that are equal are visited once. Gives how many there were.
 */
export async function everyCrash(
  root: string,
  work: () => Promise<unknown>,
  visit: (state: CrashState) => Promise<void>,
): Promise<number> {
  const files = actualFiles();
  const disk = await snapshot(resolve(root));
  const calls = await observe(root, work);
  const place = createReplay(resolve(root), disk);
  const scratch = await files.mkdtemp(`${resolve(root)}-crash-`);
  const seen = new Set<string>();
  try {
    for (let made = 0; made <= calls.length; made += 1) {
      const call = made === 0 ? undefined : calls[made - 1]!;
      if (call !== undefined) place(call);
      const isFinished = made === calls.length;
      for (const [tree, fate] of statesOf(disk)) {
        const key = `${isFinished} ${JSON.stringify([...tree].map(([path, data]) => [path, data === undefined ? null : Buffer.from(data).toString('latin1')]))}`;
        if (seen.has(key)) continue;
        seen.add(key);
        const folder = join(scratch, `${seen.size}`);
        await files.mkdir(folder);
        for (const [path, data] of tree)
          if (data === undefined) await files.mkdir(join(folder, path));
          else await files.writeFile(join(folder, path), data);
        const where =
          call === undefined ? 'nothing' : `${call.kind} ${'path' in call ? call.path : call.handle}`;
        const description = `call ${made} of ${calls.length} (${where}), unflushed bytes ${fate}`;
        await visit({ folder, isFinished, description });
        await files.rm(folder, { recursive: true });
      }
    }
  } finally {
    await files.rm(scratch, { recursive: true, force: true });
  }
  return seen.size;
}

/** A folder as it is, all of it on the disk. */
async function snapshot(path: string): Promise<FolderNode> {
  const files = actualFiles();
  const folder = emptyFolder();
  for (const entry of await files.readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    const data = entry.isDirectory() ? undefined : Uint8Array.from(await files.readFile(inner));
    const node: Node = data === undefined ? await snapshot(inner) : { kind: 'file', data, durable: data };
    folder.entries.set(entry.name, node);
    folder.durable.set(entry.name, node);
  }
  return folder;
}

const emptyFolder = (): FolderNode => ({
  kind: 'folder',
  entries: new Map(),
  durable: new Map(),
  pending: [],
});

/** Gives a function that does a call on a disk in memory. */
function createReplay(root: string, disk: FolderNode): (call: DiskCall) => void {
  const handles = new Map<number, Node>();
  const find = (path: string): Node => {
    if (path === root) return disk;
    const found = folderOf(path).entries.get(basename(path));
    if (found === undefined) throw new Error(`${path} is not there`);
    return found;
  };
  const folderOf = (path: string): FolderNode => {
    const folder = find(dirname(path));
    if (folder.kind !== 'folder') throw new Error(`${dirname(path)} is no folder`);
    return folder;
  };
  const change = (folder: FolderNode, make: Change): void => {
    make(folder.entries);
    folder.pending.push(make);
  };
  return (call) => {
    if (call.kind === 'open') {
      const created = /^[wa]/.test(call.flags) && !folderOf(call.path).entries.has(basename(call.path));
      if (created) {
        const file: FileNode = { kind: 'file', data: new Uint8Array(0), durable: new Uint8Array(0) };
        change(folderOf(call.path), (entries) => entries.set(basename(call.path), file));
      }
      const node = find(call.path);
      if (call.flags.startsWith('w') && node.kind === 'file') node.data = new Uint8Array(0);
      handles.set(call.handle, node);
    } else if (call.kind === 'write') {
      const file = handles.get(call.handle);
      if (file?.kind === 'file') file.data = Uint8Array.from([...file.data, ...call.bytes]);
    } else if (call.kind === 'truncate') {
      const file = handles.get(call.handle);
      if (file?.kind === 'file') file.data = file.data.slice(0, call.size);
    } else if (call.kind === 'sync') {
      const node = handles.get(call.handle);
      if (node?.kind === 'file') node.durable = node.data;
      else if (node !== undefined) {
        for (const make of node.pending) make(node.durable);
        node.pending.length = 0;
      }
    } else if (call.kind === 'folder') {
      const made = emptyFolder();
      change(folderOf(call.path), (entries) => entries.set(basename(call.path), made));
    } else if (call.kind === 'link') {
      const node = find(call.path);
      change(folderOf(call.to), (entries) => entries.set(basename(call.to), node));
    } else if (call.kind === 'remove') {
      change(folderOf(call.path), (entries) => entries.delete(basename(call.path)));
    } else {
      const [from, to, node] = [folderOf(call.path), folderOf(call.to), find(call.path)];
      const [oldName, newName] = [basename(call.path), basename(call.to)];
      if (from === to) {
        change(from, (entries) => {
          entries.delete(oldName);
          entries.set(newName, node);
        });
      } else {
        change(from, (entries) => entries.delete(oldName));
        change(to, (entries) => entries.set(newName, node));
      }
    }
  };
}

/** What a power cut may leave of a disk, as files and folders (undefined) by their paths, the upper first. */
function* statesOf(
  disk: FolderNode,
): Generator<[tree: ReadonlyMap<string, Uint8Array | undefined>, fate: string]> {
  const folders = [...changedFolders(disk, new Set())];
  const choices = folders.reduce((product, { pending }) => product * (pending.length + 1), 1);
  if (choices > 20_000)
    throw new Error(`${choices} states after one call: flush more often, or look at less`);
  for (const [fate, rest] of Object.entries(fates))
    for (let choice = 0; choice < choices; choice += 1) {
      const kept = new Map<FolderNode, number>();
      let left = choice;
      for (const folder of folders) {
        kept.set(folder, left % (folder.pending.length + 1));
        left = Math.floor(left / (folder.pending.length + 1));
      }
      const tree = new Map<string, Uint8Array | undefined>();
      const list = (folder: FolderNode, prefix: string): void => {
        const entries = new Map(folder.durable);
        for (const make of folder.pending.slice(0, kept.get(folder) ?? 0)) make(entries);
        for (const [name, node] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
          const data =
            node.kind === 'folder' ? undefined : node.data === node.durable ? node.data : rest(node);
          tree.set(prefix + name, data);
          if (node.kind === 'folder') list(node, `${prefix}${name}/`);
        }
      };
      list(disk, '');
      yield [tree, fate];
    }
}

/** Every folder that is or was there and has changes that are not flushed. */
function* changedFolders(folder: FolderNode, visited: Set<FolderNode>): Generator<FolderNode> {
  if (visited.has(folder)) return;
  visited.add(folder);
  if (folder.pending.length > 0) yield folder;
  for (const node of [...folder.entries.values(), ...folder.durable.values()])
    if (node.kind === 'folder') yield* changedFolders(node, visited);
}
