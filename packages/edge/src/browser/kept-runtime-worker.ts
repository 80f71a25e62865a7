import { type KeptCall, type KeptRuntime, readKeptRuntime } from './kept-runtime.ts';

/** What is used of a worker's global object. */
interface WorkerScope {
  onmessage: ((message: { readonly data: KeptCall }) => void) | null;
  postMessage(message: KeptRuntime, transfer: Transferable[]): void;
}

// The types of this package are those of Node, too, which has no such object.
const scope = globalThis as unknown as WorkerScope;
scope.onmessage = ({ data }) => {
  // A page shares code with its workers.
  void readKeptRuntime(data).then((kept) => scope.postMessage(kept, kept.image ? [kept.image.file] : []));
};
