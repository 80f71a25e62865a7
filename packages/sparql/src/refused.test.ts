import { FuzzError } from '@fuzzqe/core';
import { createVocabulary } from '@fuzzqe/names';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSparql, textLimits } from './index.ts';

const named = (keys: readonly string[]): { key: string; label: string }[] =>
  keys.map((key) => ({ key, label: key }));
const vocabulary = createVocabulary({
  entities: named(['a', 'b', 'c']),
  relations: named(['r', 's', 't']),
});

function errorOf(text: string): FuzzError | undefined {
  try {
    parseSparql(text, vocabulary);
  } catch (error) {
    if (error instanceof FuzzError) return error;
    throw error;
  }
  return undefined;
}

const bgp = 'entity:a relation:r ?x';

it('refuses what is no text, and no vocabulary', () => {
  const given = (value: unknown): never => value as never; // what callers without types may give
  for (const text of [undefined, 3])
    expect(() => parseSparql(given(text), vocabulary)).toThrow('SPARQL: expected a text, got ');
  for (const names of [undefined, { vocabulary }])
    expect(() => parseSparql(`SELECT ?x { ${bgp} }`, given(names))).toThrow(
      'expected a vocabulary or a graph',
    );
});

describe('what SPARQL asks beyond a pattern with degrees', () => {
  it.each([
    ['OPTIONAL', `SELECT ?x { ${bgp} OPTIONAL { ?x relation:s entity:b } }`, /^OPTIONAL: /, 36],
    ['BIND', `SELECT ?x { ${bgp} BIND(1 AS ?y) }`, /^BIND: /, 36],
    ['GRAPH', `SELECT ?x { GRAPH entity:a { ${bgp} } }`, /^GRAPH: /, 13],
    ['SERVICE', `SELECT ?x { SERVICE entity:a { ${bgp} } }`, /^SERVICE: /, 13],
    ['a query within', `SELECT ?x { { SELECT ?x { ${bgp} } } }`, /^SELECT within SELECT/, 15],
    [
      'a blank node of two branches',
      `SELECT ?x { { ${bgp} . ?x relation:s _:b . _:b relation:r entity:a } UNION { ?x relation:s _:b } }`,
      /^blank node: expected a label of one graph pattern/,
      108,
    ],
    [
      'a blank node on both sides of braces',
      `SELECT ?x { ?x relation:s _:b { ${bgp} } _:b relation:r entity:a }`,
      /^blank node: expected a label of one graph pattern/,
      58,
    ],
    [
      'a blank node of a pattern and a negation',
      `SELECT ?x { ${bgp} . ?x relation:s _:b FILTER NOT EXISTS { ?x relation:r _:b } }`,
      /^blank node: expected a label of one graph pattern/,
      90,
    ],
    ['no answer variable', `SELECT ?degree { ${bgp} }`, /an answer variable, got none/, 8],
    ['a variable twice', `SELECT ?x ?x { ${bgp} }`, /every variable once/, 8],
    ['a label of two', `SELECT ?x ?y ?label { ${bgp} . ?x relation:s ?y }`, /^\?label: .*got \?x and \?y/, 8],
    [
      'VALUES without a variable',
      `SELECT ?x { ${bgp} VALUES () { () } }`,
      /expected a variable, got none/,
      36,
    ],
    [
      'a filter of another group',
      `SELECT ?x ?y { ${bgp} . ?x relation:s ?y { ?x relation:t entity:b FILTER(?y != entity:b) } }`,
      /^\?y: .*got filters alone/,
      58,
    ],
    [
      'a degree as one of two conditions',
      `SELECT ?x { ${bgp} FILTER(?x = entity:a || ?degree > 0.5) }`,
      /^FILTER: expected a condition/,
      36,
    ],
    ['a variable that is nowhere', `SELECT ?y { ${bgp} }`, /^\?y: expected a variable of the patterns/, 8],
    ['an expression', `SELECT (COUNT(?x) AS ?n) { ${bgp} }`, /got an expression/, 8],
    ['a variable as a relation', 'SELECT ?x { entity:a ?p ?x }', /^predicate: .*got a variable/, 22],
    ['a literal', 'SELECT ?x { ?x relation:r "a" }', /got a literal/, 27],
    ['a list', 'SELECT ?x { ?x relation:r (entity:a) }', /got a list/, 27],
    [
      'a pattern apart',
      `SELECT ?x { ${bgp} . entity:b relation:s ?y }`,
      /joined to \?x, got one of other variables/,
      38,
    ],
    ['a negation alone', `SELECT ?x { FILTER NOT EXISTS { ${bgp} } }`, /^\?x: .*got filters alone/, 11],
    [
      'a negation in a branch',
      `SELECT ?x { { ${bgp} } UNION { FILTER NOT EXISTS { ${bgp} } } }`,
      /^\?x: .*got filters alone/,
      13,
    ],
    ['a comparison alone', 'SELECT ?x { FILTER(?x = entity:a) }', /^\?x: .*got filters alone/, 11],
    ['MINUS first', `SELECT ?x { MINUS { ${bgp} } ${bgp} }`, /^MINUS: /, 13],
    [
      'a branch of another variable',
      `SELECT ?x { { ${bgp} } UNION { entity:a relation:r ?y } }`,
      /^\?x: /,
      13,
    ],
    ['a negated path of either', 'SELECT ?x { ?x !(relation:r|relation:s) entity:a }', /^path: .*"!"/, 16],
    [
      'a repeated path of two',
      'SELECT ?x { ?x (relation:r/relation:s)+ entity:a }',
      /^path: expected "\+" after one relation/,
      17,
    ],
    [
      'a repeated relation of two answers',
      'SELECT ?x ?y { ?x relation:r+ ?y }',
      /expected "\+" on a relation with one end that leads to an entity, got \?x and \?y/,
      14,
    ],
    ['a variable among paths', 'SELECT ?x { ?x relation:r|?p entity:a }', /^SPARQL: /, 27],
    ['a negated path', 'SELECT ?x { ?x !relation:r entity:a }', /^path: .*"!"/, 16],
    ['another filter', `SELECT ?x { ${bgp} FILTER(STRLEN(?x) > 3) }`, /^FILTER: /, 36],
    [
      'a degree from above',
      `SELECT ?x { ${bgp} FILTER(?degree <= 0.5) }`,
      /at least a number in \[0, 1\]/,
      36,
    ],
    ['?degree = 1', `SELECT ?x { ${bgp} FILTER(?degree = 1) }`, /^FILTER: expected a condition/, 36],
    ['0.5 != ?degree', `SELECT ?x { ${bgp} FILTER(0.5 != ?degree) }`, /^FILTER: expected a condition/, 36],
    ['?degree IN (1)', `SELECT ?x { ${bgp} FILTER(?degree IN (1)) }`, /^FILTER: expected a condition/, 36],
    ['?known = true', `SELECT ?x { ${bgp} FILTER(?known = true) }`, /^FILTER: expected a condition/, 36],
    ['?label = "a"', `SELECT ?x { ${bgp} FILTER(?label = "a") }`, /^FILTER: expected a condition/, 36],
    ['a degree above 1', `SELECT ?x { ${bgp} FILTER(?degree >= 50) }`, /at least a number in \[0, 1\]/, 36],
    [
      'a degree within braces',
      `SELECT ?x { { ${bgp} FILTER(?degree >= 0.5) } }`,
      /outside of inner braces/,
      38,
    ],
    [
      'a pattern of the degree',
      'SELECT ?x { entity:a relation:r ?degree . ?degree relation:s ?x }',
      /^\?degree: /,
      33,
    ],
    ['UNDEF', `SELECT ?x { ${bgp} VALUES ?x { UNDEF } }`, /got UNDEF/, 36],
    ['no values', `SELECT ?x { ${bgp} VALUES ?x { } }`, /got none/, 36],
    ['GROUP BY', `SELECT ?x { ${bgp} } GROUP BY ?x`, /^GROUP BY: /, 38],
    ['HAVING', `SELECT ?x { ${bgp} } HAVING (?x = 1)`, /^HAVING: /, 38],
    [
      'ORDER BY another',
      `SELECT ?x { entity:a relation:r ?y . ?y relation:r ?x } ORDER BY ?y`,
      /^ORDER BY: /,
      66,
    ],
    ['ORDER BY an expression', `SELECT ?x { ${bgp} } ORDER BY STRLEN(?x)`, /^ORDER BY: /, 47],
    ['FROM', `SELECT ?x FROM <http://x/g> { ${bgp} }`, /^FROM: /, 16],
    ['CONSTRUCT', `CONSTRUCT { ${bgp} } WHERE { ${bgp} }`, /^CONSTRUCT: /, 1],
    ['DESCRIBE', 'DESCRIBE entity:a', /^DESCRIBE: /, 1],
    ['an update', 'INSERT DATA { entity:a relation:r entity:b }', /^UPDATE: /, 1],
    ['ASK of nothing', 'ASK { }', /^ASK: /, 5],
    ['a relative IRI', 'SELECT ?x { <a> relation:r ?x }', /with a scheme, got <a>/, 13],
    ['a prefix that is not declared', 'SELECT ?x { ex:a relation:r ?x }', /got "ex:"/, 13],
    [
      'a name with half an escape',
      'SELECT ?x { <urn:fuzzqe:entity:%4> relation:r ?x }',
      /two hexadecimal digits/,
      13,
    ],
    ['no such entity', 'SELECT ?x { entity:d relation:r ?x }', /^entity: .*"d"/, 13],
    ['no such relation', 'SELECT ?x { entity:a relation:u ?x }', /^relation: .*"u"/, 22],
    ['an entity as a relation', 'SELECT ?x { entity:a entity:b ?x }', /^relation: /, 22],
  ])('refuses %s, with the place', (_, text, message, column) => {
    const error = errorOf(text);
    expect(error?.message).toMatch(message);
    expect(error?.path).toBe(`line 1, column ${column}`);
    expect(error?.hint).toMatch(/./);
  });

  it.each([
    ['a text that ends', 'SELECT ?x {\n entity:a relation:r', 2, 21],
    ['a word that is none', 'SELECT ?x {\n entity:a relation:r ?x ]', 2, 25],
    ['a string that is open', 'SELECT ?x { "a', 1, 13],
    ['nothing', '', 1, 1],
  ])('refuses %s', (_, text, line, column) => {
    expect(errorOf(text)?.message).toMatch(/^SPARQL: expected/);
    expect(errorOf(text)?.path).toBe(`line ${line}, column ${column}`);
  });

  it.each([
    ['', 'expected "SELECT" or "ASK", got the end of the text', /^A query is such as SELECT/],
    ['?x', 'expected "SELECT" or "ASK", got "?x"', /^A query is such as SELECT/],
    ['SELEC ?x', 'expected a word of SPARQL 1.1, got "SELEC"', /^did you mean "SELECT"\?/],
    ['SELECTED ?x', 'expected a word of SPARQL 1.1, got "SELECTED"', /^did you mean "SELECT"\?/],
    ['SELECT ?x { FILTR(?x = 1) }', 'expected a word of SPARQL 1.1, got "FILTR"', /"FILTER"/],
    ['SELECT ?x { Länder', 'expected a word of SPARQL 1.1, got "Länder"', /^Names have a prefix/],
    ['SELECT ?x { <urn ?x }', 'expected a word of SPARQL 1.1, got "urn"', /^Close the IRI/],
    ['SELECT ?x { "a', 'expected a word of SPARQL 1.1, got "\\""', /^Close the string/],
    ['SELECT ?x & { }', 'expected a word of SPARQL 1.1, got "&"', /docs\/sparql\.md/],
    ['SELECT { }', 'expected "*", a variable or "(", got "{"', /docs\/sparql\.md/],
    [
      'SELECT ?x { ?x',
      'expected a name, "a", "!", "(", "^" or a variable, got the end',
      /close what is open/,
    ],
    ['SELECT ?x { ?x relation:r }', 'expected a name, a function or another part of an expression', /./],
    ['SELECT ?x { } LIMIT x:y', 'expected a number, got "x:y"', /./],
    ['SELECT ?x { VALUES "1. [ASK] but found" }', 'expected a variable, "()" or "(", got "\\"1. [ASK]', /./],
    [`SELECT ?x { ${bgp} } }`, 'expected the end of the text, got "}"', /./],
  ])('says of %s what is expected and what is there', (text, message, hint) => {
    expect(errorOf(text)?.message).toContain(`SPARQL: ${message}`);
    expect(errorOf(text)?.hint).toMatch(hint);
  });

  it('refuses half a code point, rows of another length, and too many levels of the tree', () => {
    expect(errorOf('SELECT ?x { "\\uD800" }')?.message).toMatch(/code points/);
    expect(errorOf(`SELECT ?x { ${bgp} VALUES (?x) { (entity:a entity:b) } }`)?.code).toBe('query');
    const path = new Array(70).fill('relation:r').join('/');
    expect(errorOf(`SELECT ?x { entity:a ${path} ?x }`)?.message).toMatch(/at most 64 levels/);
    const choices = new Array(200).fill('(relation:r|relation:s)').join('/');
    expect(errorOf(`SELECT ?x { entity:a ${choices} ?x }`)?.message).toMatch(
      /at most (64 levels|1024 nodes)/,
    );
    const branches = new Array(12).fill('(relation:r|relation:s)').join('/');
    expect(errorOf(`SELECT ?x { entity:a ${branches} ?x }`)?.message).toMatch(/at most 1024 nodes/);
    const many = new Array(1100).fill('entity:a').join(' ');
    expect(errorOf(`SELECT ?x { VALUES ?x { ${many} } }`)?.message).toMatch(/at most 1024 nodes/);
  });
});

describe('the limits of a text', () => {
  const { characters, words, depth, nameLength, levels } = textLimits;
  const within = (open: string, close: string, inner: string, n: number): string =>
    open.repeat(n) + inner + close.repeat(n);

  it.each([
    ['characters', `SELECT ?x { ${bgp} } #${'x'.repeat(characters)}`, /at most 16384 characters/],
    ['words', `SELECT ?x { VALUES ?x { ${'1 '.repeat(words)} } }`, /at most 1500 words/],
    ['a name', `SELECT ?x { ${'a.'.repeat(nameLength)} }`, /name: expected at most 128 characters/],
    ['braces', within('{', '}', bgp, depth + 1), /brackets in one another/],
    ['braces as escapes', within('\\u007b', '}', bgp, depth + 1), /brackets in one another/],
    [
      'braces after a quote in a name',
      `SELECT ?x { x:a\\' ${within('(', ')', '', depth + 1)}' }`,
      /brackets in one another/,
    ],
    ['functions', `SELECT ?x { FILTER(${within('STR(', ')', '1', depth + 1)}) }`, /brackets in one another/],
    [
      'signs without spaces',
      `SELECT ?x { ${bgp} FILTER(${'1+1+1+1 +'.repeat(words / 8)}1) }`,
      /at most 1500 words/,
    ],
    ['a chain', `SELECT ?x { ${bgp} FILTER(${'1 + '.repeat(levels)}1) }`, /at most 500 operators and groups/],
    ['parts', `SELECT ?x { ${bgp} . ?x relation:s (${'entity:a '.repeat(1000)}) }`, /at most 6000 parts/],
  ])('hold for %s', (_, text, message) => {
    expect(errorOf(text)?.message).toMatch(message);
  });

  it.each([
    ['braces', (n: number) => `SELECT ?x { ${within('{', '}', bgp, n)} }`],
    ['filters', (n: number) => `SELECT ?x { ${bgp} ${within('FILTER NOT EXISTS {', '}', bgp, n)} }`],
    ['functions', (n: number) => `SELECT ?x { FILTER(${within('STR(', ')', '1', n)}) }`],
    [
      'blank nodes',
      (n: number) => `SELECT ?x { ?x relation:r ${within('[ relation:r ', ']', 'entity:a', n)} }`,
    ],
    ['parentheses', (n: number) => `SELECT ?x { FILTER(${within('(', ')', '1', n)}) }`],
  ])('leave the stack to %s as deep as they may be', (_, nested) => {
    expect(errorOf(nested(depth - 2))?.message ?? '').not.toMatch(/nested too deep/);
  });

  it('refuse none of what means something for its parts', () => {
    const objects = new Array(740).fill('entity:a').join(', ');
    expect(errorOf(`SELECT ?x { ?x relation:r ${objects} }`)?.message).not.toMatch(/parts|words/);
    expect(errorOf(`SELECT ?x { VALUES ?x { ${'entity:a '.repeat(1480)} } }`)?.message).toMatch(/1024 nodes/);
  });

  it('keep any text, as far as it goes, from hanging or crashing', () => {
    const word = fc.oneof(
      fc.constantFrom(
        ...[
          'SELECT',
          'ASK',
          '?x',
          '?degree',
          '*',
          '{',
          '}',
          '(',
          ')',
          '[',
          ']',
          '.',
          ';',
          ',',
          'UNION',
          'MINUS',
        ],
        ...[
          'FILTER',
          'NOT EXISTS',
          'EXISTS',
          'VALUES',
          'OPTIONAL',
          'ORDER BY',
          'LIMIT',
          '10',
          '0.5',
          '-1',
          'PREFIX',
        ],
        ...[
          'entity:a',
          'relation:r',
          'relation:',
          ':',
          '<a:b>',
          '<',
          '>',
          '>=',
          '^',
          '/',
          '|',
          '+',
          '!',
          '&&',
          '"a"',
        ],
        ...[
          "'''",
          '"',
          '#',
          '\\u007b',
          '\\',
          '@en',
          '^^',
          '_:b',
          '[]',
          '()',
          '?',
          '$',
          'a',
          'UNDEF',
          '1e5',
          '\0',
          '\ud800',
        ],
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    const piece = fc.oneof(
      word,
      fc.constantFrom(bgp, `{ ${bgp} }`, `FILTER NOT EXISTS { ${bgp} }`, '?x relation:r ?y .'),
    );
    const text = fc
      .tuple(fc.boolean(), fc.array(piece, { maxLength: 24 }), fc.constantFrom('', ' '))
      .map(([whole, pieces, gap]) => (whole ? `SELECT ?x { ${pieces.join(gap)} }` : pieces.join(gap)));
    let taken = 0;
    fc.assert(
      fc.property(text, (given) => {
        const error = errorOf(given);
        if (error === undefined) taken++;
        else expect(['query', 'vocabulary']).toContain(error.code);
      }),
      { numRuns: 1500, seed: 1 },
    );
    expect(taken).toBeGreaterThan(0);
  });
});
