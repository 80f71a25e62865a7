import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from './index.ts';

/** The beginning of a stream, by which two streams are told apart. */
const beginning = (random: Random): string => [random.uint32(), random.uint32(), random.uint32()].join(' ');

describe('random streams', () => {
  it('are different for every way in which labels are split among forks', () => {
    const root = (): Random => createRandom('seed');
    const streams = [
      root().fork('a', '/', 'b'),
      root().fork('a').fork('b'),
      root().fork('a', 'b'),
      root().fork('a', '//', 'b'),
      root().fork('a/b'),
      root().fork('a').fork('/', 'b'),
      root().fork('a', '/').fork('b'),
      createRandom('seed', '/', 'a').fork('b'),
      createRandom('seed', '/', 'a', '/', 'b'),
      createRandom('seed', 'a', 'b'),
      root().fork(1),
      root().fork('1'),
    ];
    expect(new Set(streams.map(beginning)).size).toBe(streams.length);
  });

  it('are the same for the same labels, whatever was drawn before', () => {
    const random = createRandom('seed', 3);
    const fork = beginning(random.fork('a', 7));
    random.uint32();
    expect(beginning(random.fork('a', 7))).toBe(fork);
    expect(beginning(createRandom('seed', 3).fork('a', 7))).toBe(fork);
  });

  it('keep their numbers from version to version', () => {
    expect(beginning(createRandom('seed', 3))).toBe('67895160 3755249460 2448306246');
    expect(beginning(createRandom('seed', 3).fork('a', 7))).toBe('1750913000 4195402377 2380498096');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'refuse the label %d, which JSON writes as null',
    (label) => {
      expect(() => createRandom('seed', label)).toThrow(`got ${label}`);
      expect(() => createRandom('seed').fork(label)).toThrow(`got ${label}`);
    },
  );
});
