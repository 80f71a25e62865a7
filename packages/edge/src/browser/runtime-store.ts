/** The store of the runtime's files in Cache Storage. */
export const runtimeStore = 'fuzzqe-runtime';
