import { schema } from '@fuzzqe/core';

/** What a process of a door writes, a line of JSON each: that an input begins, and what became of it. */
export type Report =
  | { readonly began: number }
  | {
      readonly ended: number;
      readonly outcome: 'taken' | 'refused' | 'failed';
      readonly detail: string;
      readonly milliseconds: number;
      /** The most memory that the process has had so far. */
      readonly mebibytes: number;
    };

const count = schema.integer({ min: 0 });
const began = schema.object({ began: count });
const ended = schema.object({
  ended: count,
  outcome: schema.oneOf(['taken', 'refused', 'failed']),
  detail: schema.string,
  milliseconds: schema.number({ min: 0 }),
  mebibytes: schema.number({ min: 0 }),
});

/** Reads a line; undefined for one that is none, as the last of a process that was killed. */
export function readReport(line: string): Report | undefined {
  return schema.recogniseJson(began, line) ?? schema.recogniseJson(ended, line);
}
