import { describe, expect, it } from 'vitest';
import { parse } from '../input/schema.ts';
import { type Calibration, calibrationSchema, defaultCalibration } from './calibration.ts';

const read = (value: unknown): Calibration =>
  parse(calibrationSchema, value, { code: 'data', what: 'calibration' });

describe('a calibration', () => {
  it('is read as it was written', () => {
    expect(read(JSON.parse(JSON.stringify(defaultCalibration)))).toEqual(defaultCalibration);
  });

  it('from before there was λ of the negation has 1 − a', () => {
    const { negationLambda, ...earlier } = defaultCalibration;
    expect(negationLambda).toBeGreaterThan(0);
    expect(read(earlier)).toEqual({ ...defaultCalibration, negationLambda: 0 });
  });

  it.each([-0.1, 101, '10', null])('refuses %j as λ of the negation', (negationLambda) => {
    expect(() => read({ ...defaultCalibration, negationLambda })).toThrow(/negationLambda/);
  });
});
