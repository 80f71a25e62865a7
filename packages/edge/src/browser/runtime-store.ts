/** The store of files of the runtime in Cache Storage. */
export const runtimeStore = 'fuzzqe-runtime';
