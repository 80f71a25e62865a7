import type { ValueTest } from '@fuzzqe/core/query';
import type { AttributeValue } from '../rows/attributes.ts';
import { attributeValues } from '../vocabulary/changed-attributes.ts';
import { columnLiterals } from './column-literals.ts';
import { type Literal, literalOf } from './literal-span.ts';
import { type NamedColumn, namedColumns, type ValuesState } from './named-columns.ts';
import { passesTest, problem } from './passes-test.ts';

/**
 * The entities with a recorded literal that passes a test, by ascending ids.
 *
 * Literals of kinds that the test does not compare do not pass: a property may have texts and numbers. Units are not compared.
 * Time: all literals once for each property, then those of the property.
 *
 * @throws FuzzError `query` at the place of the test: an unknown property, a property without literals that the test compares, no such date.
 * @example
 * entitiesWithValues({ op: 'where', property: 'population', is: '>', values: [1e6] }, { attributes, vocabulary });
 */
export function entitiesWithValues(test: ValueTest, values: ValuesState): Int32Array {
  const { attributes, vocabulary } = values;
  const columns = testedColumns(test, values);
  const changed = 'changedAttributes' in vocabulary ? vocabulary.changedAttributes : undefined;
  const found = new Set<number>();
  const recorded = columns.filter(({ number }) => number < attributes.columns.length);
  columnLiterals(
    attributes,
    recorded.map(({ number }) => number),
  ).forEach(({ ids, literals }, i) => {
    const { key, passes } = recorded[i]!;
    const isChanged = changed?.idsWith(key);
    literals.forEach((literal, at) => {
      if (passes(literal) && !isChanged?.has(ids[at]!)) found.add(ids[at]!);
    });
  });
  for (const key of new Set(columns.map((column) => column.key)))
    for (const id of changed?.idsWith(key) ?? []) if (passing(columns, values, id).length > 0) found.add(id);
  return Int32Array.from(found).sort();
}

/** The literals of an entity that pass a test. Throws: as `entitiesWithValues`. */
export function valuesThatPass(test: ValueTest, values: ValuesState, id: number): AttributeValue[] {
  return passing(testedColumns(test, values), values, id);
}

interface TestedColumn extends NamedColumn {
  readonly passes: (value: Literal) => boolean;
}

function passing(
  columns: readonly TestedColumn[],
  { attributes, vocabulary }: ValuesState,
  id: number,
): AttributeValue[] {
  return attributeValues(vocabulary, attributes, id).filter(({ key, type, value }) => {
    const literal = literalOf(type, value);
    const column = columns.find((each) => each.key === key && each.type === type);
    return literal !== undefined && column?.passes(literal) === true;
  });
}

/** The columns of the property that a test names, with what the test compares. */
function testedColumns(test: ValueTest, state: ValuesState): TestedColumn[] {
  const named = namedColumns(test.property, state, (...of) => problem(test, ...of));
  const columns = named.flatMap((column) => {
    const passes = passesTest(test, column.type);
    return passes === undefined ? [] : [{ ...column, passes }];
  });
  if (columns.length > 0) return columns;
  const types = [...new Set(named.map(({ type }) => type))].join(', ');
  throw problem(
    test,
    `a comparison of what ${test.property} has (${types})`,
    `${test.is} ${test.values.map((value) => JSON.stringify(value)).join('..')}`,
    hints[named[0]!.type],
  );
}

const hints = {
  number: 'Compare numbers with numbers, such as height > 200.',
  date: 'Compare dates with years, months or days, such as born < 1980-05-31.',
  boolean: 'Compare by = true or = false.',
  text: 'Compare texts by =, != or contains, with the text between double quotes.',
} as const;
