import type { WebRuntime } from './session.ts';

/**
 * Has a runtime on WebAssembly begin before there is a graph: it begins with its first session, which one byte is none of.
 *
 * Returns what is said of that byte, or why the runtime did not begin; the first real session says the latter again.
 */
export function beginRuntime({ InferenceSession }: WebRuntime): Promise<unknown> {
  return InferenceSession.create(new Uint8Array(1), { executionProviders: ['wasm'] }).catch(
    (cause: unknown) => cause,
  );
}
