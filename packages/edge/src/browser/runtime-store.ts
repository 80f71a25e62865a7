/** The store of files of the runtime in Cache Storage. */
export const runtimeStore = 'fuzzqe-runtime';

/** The addresses under which images of the runtime's memory are kept: with the first graph of a bundle open, and just begun. */
export const imageAddresses = (wasm: string): { readonly opened: string; readonly begun: string } => ({
  opened: `${wasm}.opened`,
  begun: `${wasm}.image`,
});
