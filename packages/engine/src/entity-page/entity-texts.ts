import type { Vocabulary } from '@fuzzqe/core';
import {
  type Alias,
  type Attributes,
  type AttributeValue,
  aliasesOf,
  attributeValues,
  type GrowingVocabulary,
} from '@fuzzqe/names';

/** Some of a list. */
export interface SomeOf<T> {
  readonly total: number;
  /** The first hundred; longer texts are cut after 1000 characters. */
  readonly results: readonly T[];
}

/** What literals say of an entity; a list that is empty is absent. */
export interface EntityTexts {
  /** Further names and descriptions. */
  readonly names?: SomeOf<Alias>;
  /** Numbers, dates, booleans and texts. */
  readonly attributes?: SomeOf<AttributeValue>;
}

const [most, longest] = [100, 1000];

/**
 * The literals of an entity, as they are now if the vocabulary has grown.
 *
 * @throws FuzzError `data`: the files of the graph are damaged.
 */
export function textsOf(
  vocabulary: Vocabulary | GrowingVocabulary,
  attributes: Attributes,
  id: number,
): EntityTexts {
  const cut = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest)}…`);
  const names = aliasesOf(vocabulary.aliases, id);
  const values = attributeValues(vocabulary, attributes, id);
  return {
    ...(names.length === 0
      ? {}
      : {
          names: {
            total: names.length,
            results: names.slice(0, most).map((name) => ({ ...name, text: cut(name.text) })),
          },
        }),
    ...(values.length === 0
      ? {}
      : {
          attributes: {
            total: values.length,
            results: values.slice(0, most).map((each) => ({ ...each, value: cut(each.value) })),
          },
        }),
  };
}
