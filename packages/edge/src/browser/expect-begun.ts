import { messageOf } from '@fuzzqe/core';
import { runtimeFailure } from './runtime-module.ts';

/**
 * Waits for work with which a runtime begins, and for what fails meanwhile and nobody hears of.
 *
 * A runtime whose file lacks what it calls ends no promise that it gave anybody.
 * @throws FuzzError `runtime`: the file is another one, or damaged. What `work` throws.
 */
export async function expectBegun<T>(work: Promise<T>, url: string, version: string): Promise<T> {
  let hear = (_: Event): void => undefined;
  const unheard = new Promise<never>((_, refuse) => {
    hear = (event: Event & { readonly reason?: unknown }) => {
      event.preventDefault();
      const cause = event.reason;
      const got = `got another or a damaged one: ${messageOf(cause)}`;
      refuse(runtimeFailure({ url }, `expected the file of onnxruntime-web ${version}, ${got}`, cause));
    };
    globalThis.addEventListener('unhandledrejection', hear);
  });
  try {
    return await Promise.race([work, unheard]);
  } finally {
    globalThis.removeEventListener('unhandledrejection', hear);
  }
}
