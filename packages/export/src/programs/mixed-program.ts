import { programSignature } from '@fuzzqe/bundle';
import type { ProgramPlan } from '@fuzzqe/core/query';
import { createProgram, input, type Program, type Tensor } from '@fuzzqe/core/tensor';
import { embedProgram } from '@fuzzqe/model';
import type { ServedModel } from './served-model.ts';

/** Any mix of structures in one batch, as `planProgram` plans it; its signature is `programSignature`. */
export function mixedProgram(model: ServedModel): Program {
  const inputs = programSignature(model.config).inputs.map(({ name, dtype, shape }) =>
    input(name, dtype, shape),
  );
  const [anchors, firstRelations, secondTerms, secondRelations, thirdTerms, thirdRelations, answerTerms] =
    inputs as [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor];
  const plan: Record<keyof ProgramPlan, Tensor> = {
    anchors,
    firstRelations,
    secondTerms,
    secondRelations,
    thirdTerms,
    thirdRelations,
    answerTerms,
  };
  return createProgram({
    name: 'program',
    description: 'The embeddings of queries of any structures in one batch.',
    inputs,
    outputs: { embedding: embedProgram(model, plan) },
  });
}
