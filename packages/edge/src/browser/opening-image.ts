import { changesOf } from '../record-image.ts';
import { memoryIn, type RuntimeStart, runtimeNames } from '../runtime-image.ts';

/** A graph in the memory of a runtime that has opened it. */
export interface OpenedGraph {
  /** How many bytes its file has. */
  readonly length: number;
  /** Where the runtime has put what it made of it. */
  readonly place: number;
}

/** The graph that is opened first, as it is at every visit. */
export interface FirstGraph {
  /** Where it is in the image that the runtime is given to begin from. */
  readonly opened: OpenedGraph | undefined;
  /** Hears where the runtime has opened it by itself, and what became of the memory since before the runtime began. */
  onOpened?: (opened: OpenedGraph, image: Uint8Array) => void;
}

/**
 * Lets a runtime find its first graph in the image of a memory in which it is open, and returns its exports.
 *
 * Opening a graph runs 2800 functions, which are compiled as they are called. Of a version that is not known the exports stay.
 */
export function openingFrom(
  exports: WebAssembly.Exports,
  imports: WebAssembly.Imports,
  version: string,
  start: RuntimeStart,
  { opened, onOpened }: FirstGraph,
): WebAssembly.Exports {
  const { begin: beginName = '', open: openName = '' } = runtimeNames(version) ?? {};
  const [begin, open, memory] = [exports[beginName], exports[openName], memoryIn(imports)];
  if (typeof begin !== 'function' || typeof open !== 'function' || memory === undefined) return exports;
  let before: Uint8Array<ArrayBuffer> | undefined;
  let isFirst = true;
  return {
    ...exports,
    [beginName]: (...given: readonly unknown[]): unknown => {
      if (onOpened !== undefined) before = new Uint8Array(memory.buffer).slice();
      return begin(...given);
    },
    [openName]: (...given: readonly number[]): unknown => {
      const length = given[1]!;
      // One byte, by which the runtime is made to begin, is no graph: nothing has to run to refuse it.
      if (length === 1) return 0;
      const wasFirst = isFirst;
      isFirst = false;
      if (wasFirst && start.fromImage === true && opened?.length === length) return opened.place;
      const place: unknown = open(...given);
      if (wasFirst && typeof place === 'number' && place !== 0 && before !== undefined)
        onOpened?.({ length, place }, changesOf(before, memory));
      before = undefined;
      return place;
    },
  };
}

/** The bytes of an opened graph before its image. */
const headBytes = 8;

/** An image with the graph that is open in it. */
export function withGraph({ length, place }: OpenedGraph, image: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(headBytes + image.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length, true);
  view.setUint32(4, place, true);
  bytes.set(image, headBytes);
  return bytes;
}

/** What `withGraph` has put together. */
export function graphIn(bytes: Uint8Array): { readonly opened: OpenedGraph; readonly image: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, headBytes);
  const opened = { length: view.getUint32(0, true), place: view.getUint32(4, true) };
  return { opened, image: bytes.subarray(headBytes) };
}
