import {
  type CaseNames,
  type CombinedCase,
  combinedCases,
  combinedNames,
  combinedSignature,
} from '@fuzzqe/bundle';
import { input, type TensorOf } from '@fuzzqe/core/tensor';
import type { Switch } from '@fuzzqe/onnx';
import { linksProgram, rankProgram } from './answer-programs.ts';
import { operatorPrograms } from './operator-programs.ts';
import type { ServedModel } from './served-model.ts';

/**
 * The graphs that answer any query in both modes as cases of one, so that one session and one copy of the weights does for all
 * of them; its signature is `combinedSignature`.
 */
export function combinedSwitch(model: ServedModel): Switch {
  const { inputs, outputs } = combinedSignature(model.config);
  const [selector, ...others] = inputs.map(({ name, dtype, shape }) => input(name, dtype, shape));
  const programs = {
    ...operatorPrograms(model),
    rank: rankProgram(model),
    links: linksProgram(model),
  };

  const namesOf = (program: string): CaseNames => combinedNames[program as CombinedCase]; // of the cases below
  return {
    name: 'edge',
    description: 'Every operator of the model, of which a run chooses one.',
    selector: selector!,
    cases: combinedCases.flatMap((name) => programs[name] ?? []),
    form: {
      inputs: others as readonly TensorOf<'input'>[], // made by `input`
      outputs,
      inputName: (program, name) => namesOf(program).inputs[name]!,
      outputName: (program, name) => namesOf(program).outputs[name]!,
    },
  };
}
