import { combinedCases, combinedNames, combinedSignature } from '@fuzzqe/core/bundle';
import { input, type Program, type TensorOf } from '@fuzzqe/core/tensor';
import type { Switch } from '@fuzzqe/onnx';
import { linksProgram, projectSetAtProgram, projectSetProgram, rankProgram } from './answer-programs.ts';
import { edgeSwitch } from './edge-switch.ts';
import { mixedProgram } from './mixed-program.ts';
import { operatorPrograms } from './operator-programs.ts';
import type { ServedModel } from './served-model.ts';

/**
 * Every graph of a profile as a case of one, so that one session and one copy of the weights does for all of them; its
 * signature is `combinedSignature`.
 */
export function combinedSwitch(model: ServedModel): Switch {
  const { inputs, outputs } = combinedSignature(model.config);
  const [selector, ...others] = inputs.map(({ name, dtype, shape }) => input(name, dtype, shape));
  const programs: Readonly<Record<string, Program>> = {
    // Those of the edge graph, which read rows that are filled up.
    ...Object.fromEntries(edgeSwitch(model).cases.map((program) => [program.name, program])),
    ...operatorPrograms(model),
    program: mixedProgram(model),
    rank: rankProgram(model),
    links: linksProgram(model),
    // Whoever has one session for everything has little memory.
    projectSet: projectSetProgram(model, true),
    projectSetAt: projectSetAtProgram(model),
  };
  const namesOf = (program: string) => combinedNames[program as keyof typeof combinedNames]; // a case
  return {
    name: 'edge',
    description: 'Every graph of the model, of which a run chooses one.',
    selector: selector!,
    cases: combinedCases.map((name) => programs[name]!),
    form: {
      inputs: others as readonly TensorOf<'input'>[], // made by `input`
      outputs,
      inputName: (program, name) => namesOf(program).inputs[name]!,
      outputName: (program, name) => namesOf(program).outputs[name]!,
    },
  };
}
