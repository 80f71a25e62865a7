import type { FactsAccess } from '@fuzzqe/api';
import { type FactsPartOptions, tellEpoch, writerOf } from '../facts/facts-part.ts';
import type { UpdatableFacts } from '../facts/updatable-facts.ts';
import { writeJudgements } from '../judgements/judge-facts.ts';
import { nextJudgements } from '../judgements/next-judgements.ts';

/** The facts of `/v1/facts` for other entry points, with the same callers, headers and keys. */
export function factsAccess(options: {
  readonly facts: UpdatableFacts;
  readonly refusalOf: FactsPartOptions['refusalOf'];
}): FactsAccess {
  const { facts, refusalOf } = options;
  return {
    store: facts.store,
    refusalOf,
    writerOf: (request) => writerOf(request, options),
    tellEpoch: (request, epoch) => tellEpoch(request, facts, epoch),
    write: facts.write,
    update: facts.update,
    judge: (judgements, conflicts, writer) => writeJudgements(facts, judgements, conflicts, writer),
    next: (options, reading) => nextJudgements(facts.newest(), options, reading),
  };
}
