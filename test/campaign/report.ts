import { schema } from '@fuzzqe/core';

/** What a process of a door writes, a line of JSON each: that an input failed. */
export interface Report {
  /** The index of the input; null where an error came outside of any call, so that one of those that had begun is the cause. */
  readonly failed: number | null;
  readonly kind: 'error' | 'memory';
  readonly detail: string;
}

const report = schema.object({
  failed: schema.nullable(schema.integer({ min: 0 })),
  kind: schema.oneOf(['error', 'memory']),
  detail: schema.string,
});

/** Reads a line; undefined for one that is none, as the last of a process that was killed. */
export function readReport(line: string): Report | undefined {
  return schema.recogniseJson(report, line);
}
