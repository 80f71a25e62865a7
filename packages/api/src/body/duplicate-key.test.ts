import { finish } from '@fuzzqe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDuplicateKey } from './duplicate-key.ts';

const found = (text: string, most?: number): unknown => finish(findDuplicateKey(text, most));

describe('findDuplicateKey', () => {
  it.each([
    ['{"a":1,"a":2}', 'a', '$'],
    ['{"query":{"and":["e1",{"not":1,"b":{}, "not":2}]}}', 'not', '$.query.and[1]'],
    ['[[],[{"x":{"y z":{"":0,"":1}}}]]', '', '$[1][0].x["y z"]'],
    ['{"a":"a","\\u0061" : 1}', 'a', '$'],
    ['{"a\\"":1,"b":[1,2],"a\\"":{}}', 'a"', '$'],
    ['{"__proto__":1,"__proto__":2}', '__proto__', '$'],
  ])('finds the second key in %s', (text, key, path) => {
    JSON.parse(text);
    expect(found(text)).toEqual({ key, path });
  });

  it.each([
    '{"a":{"a":["a","a",{"a":1}]},"b":"a"}',
    '"a:a"',
    '[]',
    '{"a":"\\\\","b":"{\\"c\\":1,\\"c\\":2}"}',
    ' { "k" : 1 } ',
  ])('finds none in %s', (text) => {
    JSON.parse(text);
    expect(found(text)).toBeUndefined();
  });

  it('finds none in what JSON.stringify writes, and finds a key that is put in a second time', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.string(), (value, key) => {
        const text = JSON.stringify(value, null, 1);
        expect(found(text)).toBeUndefined();
        const quoted = JSON.stringify(key);
        expect(found(`[${text},{${quoted}:${text},${quoted}:0}]`)).toEqual({ key, path: '$[1]' });
      }),
      { numRuns: 50 },
    );
  });

  it('reads deep and long text', () => {
    expect(found(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toBeUndefined();
    const keys = Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join();
    expect(found(`{${keys}}`)).toBeUndefined();
    expect(found(`{${keys},"k7":0}`)).toEqual({ key: 'k7', path: '$' });
    expect([...findDuplicateKey(`{${keys}}`)].length).toBeGreaterThan(10);
  });

  it('says where there are more names than there may be, whichever objects have them', () => {
    const text = '[{"a":1,"b":{"a":"d"}},{"c":["a"]}]';
    expect([found(text, 3), found(text, 2)]).toEqual([undefined, 'too many']);
  });

  it('comes to an end on what is no JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0a ') }), (text) => {
        found(text);
      }),
    );
    for (const text of ['{"a', '{"\\u00":1}', '{"a":"\\', ']}{"a":1']) expect(found(text)).toBeUndefined();
  });
});
