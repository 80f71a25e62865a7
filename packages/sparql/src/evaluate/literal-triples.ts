import { keyIri, type Vocabulary } from '@fuzzqe/core';
import type { Engine, EntityTexts } from '@fuzzqe/engine';
import { areIriKeys } from '../names/key-iris.ts';
import { iriTerm, literalTerm, type RdfTerm, xsd } from '../terms/rdf-term.ts';
import { attributeBeginning, textIris } from '../terms/text-iris.ts';
import type { Triple } from '../terms/triple-source.ts';

type AttributeValue = NonNullable<EntityTexts['attributes']>['results'][number];

/** A property of an entity or relation, and its value. */
export interface LiteralValue {
  readonly property: string;
  readonly value: RdfTerm;
}

/** The label, further names and descriptions of an entity. */
export function textsOf(vocabulary: Vocabulary, id: number): LiteralValue[] {
  const { label, description } = vocabulary.entity(id);
  const own = [
    { property: textIris.label, value: literalTerm(label) },
    ...(description === undefined
      ? []
      : [{ property: textIris.description, value: literalTerm(description) }]),
  ];
  const more = vocabulary.aliases.of(id).map(([kind = '', language = '', text = '']) => ({
    property: textIris[kind] ?? textIris.alias,
    value: literalTerm(text, { language }),
  }));
  return more.length === 0 ? own : [...own, ...more];
}

/** The IRI of an attribute: its key where that is one, else the key after `urn:fuzzqe:attribute:`. */
export function attributeIri({ key }: Pick<AttributeValue, 'key'>): string {
  return keyIri(key, attributeBeginning, areIriKeys([{ key }]));
}

/** The numbers, dates, booleans and texts of an entity. */
export async function attributesOf(engine: Engine, id: number): Promise<LiteralValue[]> {
  const { attributes } = await engine.describeEntity(id, { limit: 1, recorded: 0, predicted: 0 });
  return (attributes?.results ?? []).map((each) => ({
    property: attributeIri(each),
    value: valueTerm(each),
  }));
}

/** The datatypes of XML Schema by how their values are written. */
const dates: readonly (readonly [RegExp, string])[] = [
  [/^-?\d{4,}-\d\d-\d\dT/, 'dateTime'],
  [/^-?\d{4,}-\d\d-\d\d/, 'date'],
  [/^-?\d{4,}-\d\d(?!\d)/, 'gYearMonth'],
  [/^-?\d{4,}/, 'gYear'],
  [/^\d\d:/, 'time'],
];

function valueTerm({ type, value, language, unit }: AttributeValue): RdfTerm {
  const datatype = datatypeOf(type, value);
  if (datatype !== undefined) return literalTerm(value, { datatype: xsd + datatype });
  return literalTerm(value, { language, datatype: unit });
}

function datatypeOf(type: AttributeValue['type'], value: string): string | undefined {
  switch (type) {
    case 'number':
      if (/^[-+]?\d+$/.test(value)) return 'integer';
      return /^[-+]?\d*\.\d+$/.test(value) ? 'decimal' : 'double';
    case 'date':
      return dates.find(([form]) => form.test(value))?.[1];
    case 'boolean':
      return 'boolean';
    case 'text':
      return undefined;
  }
}

/** The triples of a subject with these values. */
export function withSubject(subject: string, values: readonly LiteralValue[]): Triple[] {
  return values.map(({ property, value }) => ({
    subject: iriTerm(subject),
    predicate: iriTerm(property),
    object: value,
  }));
}
