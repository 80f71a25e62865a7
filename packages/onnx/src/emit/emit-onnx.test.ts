import { evaluate, type OpName } from '@fuzzqe/core/tensor';
import { caseProgram, difference, opCases, randomValues } from '@fuzzqe/core/testing';
import { describe, expect, it } from 'vitest';
import { emitOnnx } from '../index.ts';
import { runJavascript } from '../testing/run-javascript.ts';
import { runOnnx, saveSample } from '../testing/run-onnx.ts';

describe('every operation means the same in onnxruntime and in JavaScript as in float64', () => {
  it('has cases that have the operation', () => {
    for (const [op, { programs }] of Object.entries(opCases))
      for (const opCase of programs)
        expect(
          caseProgram(op, opCase).nodes.map((node) => node.op),
          op,
        ).toContain(op);
  });

  for (const op of Object.keys(opCases) as OpName[])
    opCases[op].programs.forEach((opCase, i) => {
      it(`${op} ${i + 1}`, async () => {
        const program = caseProgram(op, opCase);
        const values = randomValues(program, `${op} ${i}`, opCase);
        const expected = evaluate(program, values);
        const bytes = emitOnnx(program);
        saveSample(`${op}-${i + 1}`, bytes);
        for (const got of [await runOnnx(bytes, values), runJavascript(bytes, values)])
          for (const [name, tensor] of Object.entries(expected))
            expect(difference(got[name]!, tensor), name).toBeUndefined();
      });
    });
});
