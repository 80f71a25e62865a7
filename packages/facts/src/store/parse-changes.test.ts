import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeKinds } from './check-batch.ts';
import type { FactChange } from './fact-store.ts';
import { parseChanges } from './parse-changes.ts';

const text = fc
  .oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.constantFrom('},{"does":"', '\\', '"]}', '\ud800'))
  .filter((key) => !key.includes('\0'));
const change: fc.Arbitrary<FactChange> = fc.record(
  {
    does: fc.constantFrom(...changeKinds),
    head: text,
    relation: text,
    tail: text,
    source: text,
    date: text,
    confidence: fc.double({ min: 0, minExcluded: true, max: 1, noNaN: true }),
    from: fc.constantFrom('2001', '-0044-03-15', '2001-05-31T10:00:07+02:00'),
    until: fc.constantFrom('2002', '2001-06', '9999-12-31'),
    said: fc.double({ min: 0, max: 1, noNaN: true }).map((said) => said + 0),
  },
  { requiredKeys: ['does', 'head', 'relation', 'tail'] },
);

/** What is read of `"changes":[…]}`, or false. */
function read(json: string): readonly FactChange[] | false {
  const changes: FactChange[] = [];
  return parseChanges(json, json.indexOf('[') + 1, (each) => changes.push(each)) && changes;
}

describe('changes in JSON', () => {
  it('are read as JSON.parse reads them', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        expect(read(`"changes":${JSON.stringify(changes)}}`)).toEqual(changes);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['no change', '[]}'],
    ['a field that there is not', '[{"does":"add","head":"a","relation":"b","tail":"c","more":1}]}'],
    ['a field less', '[{"does":"add","head":"a","relation":"b"}]}'],
    ['an empty key', '[{"does":"add","head":"","relation":"b","tail":"c"}]}'],
    ['another verb', '[{"does":"keep","head":"a","relation":"b","tail":"c"}]}'],
    ['a confidence above 1', '[{"does":"add","head":"a","relation":"b","tail":"c","confidence":2}]}'],
    ['a confidence of 0', '[{"does":"add","head":"a","relation":"b","tail":"c","confidence":0}]}'],
    ['a judgement below 0', '[{"does":"add","head":"a","relation":"b","tail":"c","said":-1}]}'],
    ['no date', '[{"does":"add","head":"a","relation":"b","tail":"c","until":"soon"}]}'],
    [
      'an end before its beginning',
      '[{"does":"add","head":"a","relation":"b","tail":"c","from":"2001","until":"2000"}]}',
    ],
    ['no end', '[{"does":"add","head":"a","relation":"b","tail":"c"}'],
    ['more after the end', '[{"does":"add","head":"a","relation":"b","tail":"c"}] ]}'],
    ['something between', '[{"does":"add","head":"a","relation":"b","tail":"c"},7]}'],
  ])('are refused with %s', (_, json) => {
    expect(read(json)).toBe(false);
  });
});
