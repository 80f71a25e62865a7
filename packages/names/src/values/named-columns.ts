import { didYouMean, type FuzzError, keyBehind, type Vocabulary } from '@fuzzqe/core';
import type { AttributeColumn, Attributes } from '../rows/attributes.ts';
import { attributeColumns } from '../vocabulary/changed-attributes.ts';
import type { GrowingVocabulary } from '../vocabulary/growing-vocabulary.ts';

/** Whose literals are read, as they are now if the vocabulary has grown. */
export interface ValuesState {
  readonly attributes: Attributes;
  readonly vocabulary: Vocabulary | GrowingVocabulary;
}

/** Makes the error that something else was expected at a place. */
export type Fail = (expected: string, got: string, hint: string) => FuzzError;

/** A column of a property. */
export interface NamedColumn extends AttributeColumn {
  /** The place among the columns; those of the data come first. */
  readonly number: number;
}

/** The columns of a property by its key, by its key with a prefix, or by its label. Throws what `fail` makes: no such property, or several. */
export function namedColumns(
  property: string,
  { attributes, vocabulary }: ValuesState,
  fail: Fail,
): NamedColumn[] {
  const all = attributeColumns(vocabulary, attributes).map((column, number) => ({ ...column, number }));
  const ofKey = (wanted: string | undefined) => all.filter(({ key }) => key === wanted);
  const found = [
    ofKey(property),
    ofKey(keyBehind(property, vocabulary.prefixes)),
    all.filter(({ label }) => label === property),
  ].find((columns) => columns.length > 0);
  if (found === undefined) {
    const names = [...new Set(all.flatMap(({ key, label }) => [label, key]))];
    const some =
      names[0] === undefined ? 'The graph has no literals.' : `A property is, for example, ${names[0]}.`;
    throw fail('a property of literals', JSON.stringify(property), didYouMean(property, names, some));
  }
  const keys = [...new Set(found.map(({ key }) => key))];
  if (keys.length === 1) return found;
  throw fail('a property', `a label of ${keys.length} properties`, `Write a key: ${keys.join(', ')}.`);
}
