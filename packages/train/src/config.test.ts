import { FuzzError } from '@fuzzqe/core';
import { describe, expect, it } from 'vitest';
import { parseTrainingConfig, recordedTrainingConfig } from './config.ts';
import { plainTraining } from './plain-training.ts';

function refusal(read: () => unknown): FuzzError {
  try {
    read();
  } catch (error) {
    if (error instanceof FuzzError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the former key loss.penalty', () => {
  it('is refused where it asked for something, with what to write now', () => {
    const error = refusal(() => parseTrainingConfig({ loss: { penalty: 0.02 } }, plainTraining, 'mine.json'));
    expect(error.code).toBe('config');
    expect(error.path).toBe('mine.json.loss.penalty');
    expect(error.hint).toContain('"regularisers": {"n3": {"weight": 1}}');
    const suggested = parseTrainingConfig({ regularisers: { n3: { weight: 1 } } }, plainTraining);
    expect(suggested.regularisers).toEqual({ n3: { weight: 1 } });
  });

  it('is read over where it was 0, in a file and in what a run recorded', () => {
    expect(parseTrainingConfig({ loss: { penalty: 0 } }, plainTraining)).toEqual(plainTraining);
    const { regularisers: _, ...former } = plainTraining;
    const recorded = { ...former, loss: { ...former.loss, penalty: 0 } };
    expect(recordedTrainingConfig(recorded, 'state.json')).toEqual(plainTraining);
  });

  it('keeps a run that had it from being resumed', () => {
    const recorded = { ...plainTraining, loss: { ...plainTraining.loss, penalty: 0.02 } };
    expect(refusal(() => recordedTrainingConfig(recorded, 'state.json')).code).toBe('checkpoint');
  });
});

describe('regularisers', () => {
  it('are replaced whole by those of a file', () => {
    const defaults = { ...plainTraining, regularisers: { n3: { weight: 2 } } };
    expect(parseTrainingConfig({ regularisers: { l2: { weight: 1 } } }, defaults).regularisers).toEqual({
      l2: { weight: 1 },
    });
  });

  it('are refused by other names and without a weight', () => {
    const read = (regularisers: unknown) => () => parseTrainingConfig({ regularisers }, plainTraining);
    expect(refusal(read({ n4: { weight: 1 } })).message).toMatch(/no such key/);
    expect(refusal(read({ n3: { weight: 0 } })).message).toMatch(/weight/);
    expect(refusal(read({ n3: {} })).message).toMatch(/weight/);
  });
});

describe('model options that a family cannot have', () => {
  const read = (model: object) => () => parseTrainingConfig({ model }, plainTraining);

  it('are refused with all that is to be written instead, which is then taken', () => {
    const wrong = { relationForm: 'complex', dimension: 131, projectionInput: 'domain' };
    const write = '{"model":{"dimension":132,"projectionInput":"raw"}}';
    expect(refusal(read(wrong)).hint).toBe(`For complex, write ${write}.`);
    expect(read({ ...wrong, ...JSON.parse(write).model })).not.toThrow();
    const blocks = {
      relationForm: 'blocks',
      projectionInput: 'raw',
      score: 'cosine',
      entityMapping: 'logistic',
    };
    expect(refusal(read(blocks)).hint).toContain('"score":"innerProduct"');
  });

  it('name a dimension that the family takes', () => {
    const gqe = refusal(read({ relationForm: 'gqe', projectionInput: 'raw', dimension: 33 }));
    expect(gqe.hint).toBe('For gqe, write {"model":{"dimension":36}}.');
    expect(gqe.hint).not.toBe(refusal(read({ relationForm: 'query2box', dimension: 33 })).hint);
  });

  it('have no advice where the family is not what is wrong', () => {
    expect(refusal(read({ relationForm: 'gqe', projectionInput: 'raw', dimension: -1 })).hint).toBe(
      'Correct the value and try again.',
    );
    expect(refusal(read({ relationForm: 'gqee' })).hint).not.toContain('write');
  });
});
