import type { StructureName } from '@fuzzqe/core';

/** Queries of one structure with their answers on the training graph, row by row. */
export interface TrainingQueries {
  readonly structure: StructureName;
  /** [n, anchors] */
  readonly anchors: Int32Array;
  /** [n, relations] */
  readonly relations: Int32Array;
  /** [n + 1]: where each query's answers begin. */
  readonly answerOffsets: Int32Array;
  readonly answers: Int32Array;
}
