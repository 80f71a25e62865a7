import { asEntityId, asRelationId } from '@fuzzqe/core';
import { and, entity, formatQuery, not, or, parseQueryText, project } from '@fuzzqe/core/query';
import { fuzzErrorOf } from '@fuzzqe/core/testing';
import { createVocabulary } from '@fuzzqe/names';
import { describe, expect, it } from 'vitest';

const vocabulary = createVocabulary({
  entities: [
    { key: 'Q142', label: 'France' },
    { key: 'Q4916', label: 'Euro' },
    { key: 'Q786', label: 'Dominican Republic' },
    { key: 'Q90', label: 'Paris' },
    { key: 'Q830149', label: 'Paris' },
    { key: '/m/02', label: 'and' },
    { key: 'tab', label: 'a\t"quoted" \\ name\u0007' },
  ],
  relations: [
    { key: 'P47', label: 'borders' },
    { key: '/location/country/currency', label: 'uses currency' },
  ],
});
const e = (id: number) => entity(asEntityId(id));
const p = (id: number, from: Parameters<typeof project>[1]) => project(asRelationId(id), from);
const parse = (text: string) => parseQueryText(text, vocabulary);

const failure = (text: string, path?: string) => fuzzErrorOf(() => parseQueryText(text, vocabulary, path));

describe('parseQueryText', () => {
  it.each([undefined, null, { project: 'borders' }])('refuses %j, which is no text', (given) => {
    // Callers without types can ask so.
    const error = fuzzErrorOf(() => parseQueryText(given as unknown as string, vocabulary));
    expect(error.code).toBe('query');
    expect(error.message).toMatch(/^query: expected a text, got /);
  });

  it('tells a name of millions of letters beyond 16 bits from others, as it does a short one', () => {
    for (const length of [3, 4096, 5_000_000]) {
      const name = '𝒜'.repeat(length);
      const text = `and(${name}, x)`;
      expect(() => parseQueryText(text, vocabulary.withoutNearNames)).toThrow(
        expect.objectContaining({ code: 'vocabulary', message: expect.stringContaining(name.slice(0, 6)) }),
      );
    }
  });

  it.each([
    ['France', e(0)],
    ['"Dominican Republic"', e(2)],
    ['#2', e(2)],
    ['and', e(5)],
    ['/m/02', e(5)],
    ['project(borders, France)', p(0, e(0))],
    ['project(borders^-1, Q142)', p(1, e(0))],
    ['project("uses currency"^-1,Euro)', p(3, e(1))],
    ['project(#3, Euro)', p(3, e(1))],
    ['project(#3^-1, Euro)', p(2, e(1))],
    [' and ( \n France , Euro,#3 )\n', and(e(0), e(1), e(3))],
    ['or(France, not(Euro))', or(e(0), not(e(1)))],
    ['"\\u0046rance"', e(0)],
    [
      'and(project(borders, France), not(project(/location/country/currency^-1, Euro)))',
      and(p(0, e(0)), not(p(3, e(1)))),
    ],
  ])('reads %s', (text, query) => {
    expect(parse(text)).toEqual(query);
  });

  it.each([
    ['', 'query', 'expected a query, got the end of the text', 'line 1, column 1'],
    ['  \n ', 'query', 'expected a query, got the end of the text', 'line 2, column 2'],
    ['Framce', 'vocabulary', 'expected a key or label of the graph, got "Framce"', 'line 1, column 1'],
    ['project(bordrs, France)', 'vocabulary', 'got "bordrs"', 'line 1, column 9'],
    ['and(France, Paris)', 'vocabulary', 'got one that 2 share', 'line 1, column 13'],
    ['#7', 'range', 'entity id: expected an integer in [0, 7), got 7', 'line 1, column 1'],
    ['project(#4, France)', 'range', 'relation id: expected an integer in [0, 4), got 4', 'line 1, column 9'],
    ['#99999999999999999999', 'range', 'expected an integer in [0, 7)', 'line 1, column 1'],
    ['#x', 'query', 'expected digits after #', 'line 1, column 1'],
    ['and()', 'query', 'and: expected two or more operands, got 0', 'line 1, column 1'],
    ['or(France)', 'query', 'or: expected two or more operands, got 1', 'line 1, column 1'],
    ['and(France,)', 'query', 'expected an entity or an operator, got ")"', 'line 1, column 12'],
    ['not()', 'query', 'expected a query, got ")"', 'line 1, column 5'],
    ['not(France, Euro)', 'query', 'expected ")", got ","', 'line 1, column 11'],
    ['project(borders)', 'query', 'expected ",", got ")"', 'line 1, column 16'],
    ['project(borders, )', 'query', 'expected an entity or an operator, got ")"', 'line 1, column 18'],
    ['project(, France)', 'query', 'expected a relation, got ","', 'line 1, column 9'],
    ['project(not(France), borders)', 'query', 'expected a relation, got the name "not"', 'line 1, column 9'],
    ['project(borders^-1^-1, France)', 'query', 'expected ",", got "^-1"', 'line 1, column 19'],
    ['France^-1', 'query', 'expected an entity, got "^-1"', 'line 1, column 7'],
    ['France Euro', 'query', 'expected the end of the query, got the name "Euro"', 'line 1, column 8'],
    ['and(France, Euro', 'query', 'expected ")", got the end of the text', 'line 1, column 17'],
    ['adn(France, Euro)', 'query', 'expected project, and, or or not before "("', 'line 1, column 1'],
    ['"and"(France, Euro)', 'query', 'expected project, and, or or not before "("', 'line 1, column 1'],
    ['(France)', 'query', 'expected an entity or an operator, got "("', 'line 1, column 1'],
    ['"France', 'query', 'expected a closing "', 'line 1, column 1'],
    ['"\\x"', 'query', 'escape: expected', 'line 1, column 2'],
    ['"\\u12"', 'query', 'escape: expected', 'line 1, column 2'],
    ['France & Euro', 'query', 'got "&"', 'line 1, column 8'],
    ['😀', 'query', 'got "😀"', 'line 1, column 1'],
    ['"😀" "', 'query', 'closing', 'line 1, column 5'],
  ])('refuses %j', (text, code, message, path) => {
    const error = failure(text);
    expect(error).toMatchObject({ code, path, message: expect.stringContaining(message) });
    expect(error.hint).toMatch(/\^$/);
  });

  it('points at the place with a caret, below a hint', () => {
    expect(failure('and(France,\n    project(bordrs, Euro))').hint).toBe(
      'did you mean "borders"?\n      project(bordrs, Euro))\n              ^',
    );
  });

  it('shows only the part of a long text around the place', () => {
    const hint = failure(`and(${'France, '.repeat(50)}Framce${', France'.repeat(50)})`).hint!;
    const [, line, caret] = hint.split('\n');
    expect(line!.length).toBeLessThan(90);
    expect(line!.slice(caret!.indexOf('^'))).toMatch(/^Framce/);
  });

  it('says where the text stands', () => {
    expect(failure('Framce', '$.query').path).toBe('$.query, line 1, column 1');
  });

  it('says how to write a name with a space', () => {
    expect(failure('Dominican Republic').hint).toContain('did you mean "Dominican Republic"?');
    expect(failure('and(France Euro)').hint).toContain('Names with spaces need double quotes.');
  });

  it('says where the inverse sign belongs', () => {
    expect(failure('project("borders^-1", France)').hint).toContain('Write ^-1 after the quotes');
  });

  it('refuses what is too deep or too large instead of overflowing the stack', () => {
    expect(parse(`${'not('.repeat(63)}France${')'.repeat(63)}`).op).toBe('not');
    expect(failure(`${'not('.repeat(64)}France${')'.repeat(64)}`).message).toContain('at most 64 levels');
    expect(failure('not('.repeat(1_000_000)).message).toContain('at most 64 levels');
    expect(failure(`and(${'France,'.repeat(5000)}Euro)`).message).toContain('at most 1024 nodes');
  });
});

describe('names of RDF', () => {
  const graph = createVocabulary({
    entities: [
      { key: 'http://example.org/paris', label: 'Paris' },
      { key: 'http://example.org/texas/paris', label: 'Paris' },
      { key: 'http://example.org/a,b', label: 'Paris' },
      { key: 'http://elsewhere.org/#x', label: 'http://elsewhere.org/#x' },
      { key: '_:x', label: '_:x' },
      { key: 'ex:paris', label: 'a key that looks like a prefixed name' },
      { key: 'urn:isbn:1', label: 'Paris' },
    ],
    relations: [{ key: 'http://example.org/in', label: 'lies in' }],
    prefixes: new Map([
      ['ex', 'http://example.org/'],
      ['tx', 'http://example.org/texas/'],
      ['', 'http://elsewhere.org/#'],
    ]),
  });
  const read = (text: string) => parseQueryText(text, graph);

  it.each([
    ['<http://example.org/paris>', e(0)],
    ['tx:paris', e(1)],
    ['ex:texas/paris', e(1)],
    ['"ex:a,b"', e(2)],
    [':x', e(3)],
    ['<_:x>', e(4)],
    ['ex:paris', e(5)],
    ['<urn:isbn:1>', e(6)],
    ['project(<http://example.org/in>^-1, <http://elsewhere.org/#x>)', p(1, e(3))],
    ['project(ex:in^-1, _:x)', p(1, e(4))],
    ['and(project(ex:in,tx:paris),<ex:paris>)', and(p(0, e(1)), e(5))],
  ])('reads %s', (text, query) => {
    expect(read(text)).toEqual(query);
  });

  it('writes keys as they are shortest and still find the same', () => {
    const written = [0, 1, 2, 3, 4, 5, 6].map((id) => formatQuery(e(id), graph));
    expect(written).toEqual([
      '<http://example.org/paris>',
      'tx:paris',
      '<http://example.org/a,b>',
      ':x',
      '_:x',
      '"a key that looks like a prefixed name"',
      'urn:isbn:1',
    ]);
    expect(written.map(read)).toEqual([0, 1, 2, 3, 4, 5, 6].map(e));
  });

  it.each([
    ['exx:paris', 'expected a prefix that is known, got "exx:"', 'Known are ex:, tx:, :;'],
    ['project(rdf:type, ex:paris)', 'got "rdf:"', 'Known are ex:'],
    ['ex:pariss', 'expected a key or label of the graph, got "ex:pariss"', 'did you mean'],
    ['<http://example.org/Paris>', 'expected a key', 'did you mean "http://example.org/paris"'],
    ['<tx:paris>', 'expected a key or label', ''],
    ['http://nowhere', 'expected a key or label', ''],
    ['<http://a b>', 'IRI: expected one without spaces and > after it', '^'],
    ['<>', 'IRI: expected', '^'],
    ['<http://example.org/paris', 'IRI: expected', '^'],
    ['<http://example.org/paris>^-1', 'expected an entity, got "^-1"', '^'],
  ])('refuses %s', (text, message, hint) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
        path: expect.stringMatching(/^line 1, column \d+$/),
      }),
    );
  });

  it('are not taken for one another where a key has brackets of its own', () => {
    const both = createVocabulary({
      entities: ['http://x/a', '<http://x/a>'].map((key) => ({ key, label: 'A' })),
      relations: [],
    });
    const written = [0, 1].map((id) => formatQuery(e(id), both));
    expect(written).toEqual(['<http://x/a>', '"<<http://x/a>>"']);
    expect(written.map((text) => parseQueryText(text, both))).toEqual([e(0), e(1)]);
  });

  it('have no prefixes where the graph has none', () => {
    expect(failure('ex:paris').message).toBe('entity: expected a key or label of the graph, got "ex:paris"');
  });
});

describe('formatQuery', () => {
  it.each([
    [
      and(p(0, e(0)), not(p(3, e(1)))),
      'and(project(borders, France), not(project("uses currency"^-1, Euro)))',
    ],
    [or(e(2), e(3)), 'or("Dominican Republic", Q90)'],
    [e(5), '"and"'],
    [e(6), '"a\\t\\"quoted\\" \\\\ name\\u0007"'],
  ])('writes labels where they are enough, keys where not, quotes where needed', (query, text) => {
    expect(formatQuery(query, vocabulary)).toBe(text);
    expect(parse(text)).toEqual(query);
  });

  it.each(['C:\\build\\foo', 'C:\\root', '\\\\bin', 'a\bb\\b', '\\', '\\"b'])(
    'writes %j as it is read',
    (key) => {
      const odd = createVocabulary({
        entities: [{ key, label: key }],
        relations: [{ key: 'r', label: 'r' }],
      });
      const text = formatQuery(p(0, e(0)), odd);
      expect(parseQueryText(text, odd)).toEqual(p(0, e(0)));
    },
  );

  it('refuses ids that the vocabulary does not have', () => {
    expect(() => formatQuery(p(4, e(0)), vocabulary)).toThrow(
      'relation id: expected an integer in [0, 4), got 4',
    );
  });
});
