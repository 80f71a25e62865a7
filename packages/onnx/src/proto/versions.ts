/** The version of the file format that is written: the newest that onnxruntime 1.18 and later read. */
export const irVersion = 10;

/** The version of the operators: in 18 and later the axes of a reduction are an input, as WebGPU wants them. */
export const opsetVersion = 21;

/** Who wrote the file. */
export const producerName = 'fuzzqe';
