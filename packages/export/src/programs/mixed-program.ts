import { programSignature } from '@fuzzqe/core/bundle';
import { embedProgram } from '@fuzzqe/core/model';
import type { ProgramPlan } from '@fuzzqe/core/query';
import { createProgram, input, type Program, type Tensor } from '@fuzzqe/core/tensor';
import type { ServedModel } from './served-model.ts';

/** Any mix of structures in one batch, as `planProgram` plans it; its signature is `programSignature`. */
export function mixedProgram(model: ServedModel): Program {
  const inputs = programSignature(model.config).inputs.map(({ name, dtype, shape }) =>
    input(name, dtype, shape),
  );
  const [anchors, firstRelations, secondTerms, secondRelations, thirdTerms, thirdRelations, answerTerms, k] =
    inputs as [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor];
  const plan: Record<keyof ProgramPlan, Tensor> = {
    anchors,
    firstRelations,
    secondTerms,
    secondRelations,
    thirdTerms,
    thirdRelations,
    answerTerms,
  };
  const embedding = embedProgram(model, plan);
  return createProgram({
    name: 'program',
    description: 'The k best answers to queries of any structures in one batch, and their embeddings.',
    inputs,
    outputs: { ...model.ranking(embedding, k), embedding },
  });
}
