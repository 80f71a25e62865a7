export { instantOf } from './provenance/instant.ts';
export {
  type ProvenanceField,
  type Provenances,
  provenanceFields,
  provenancesOf,
  type StatedProvenance,
  statedOf,
  withProvenances,
} from './provenance/provenance.ts';
export {
  type ProvenancePlace,
  provenanceTexts,
  readProvenances,
  stateProvenance,
} from './provenance/provenance-tsv.ts';
export { dateText, isValidity, momentsOf, validityFields, withValidity } from './provenance/validity.ts';
export { type Alias, type AliasKind, aliasesOf, aliasKinds, readAliases } from './rows/aliases.ts';
export {
  type AttributeColumn,
  type AttributePaths,
  type Attributes,
  type AttributeType,
  type AttributeValue,
  attributesOf,
  attributeTypes,
  noAttributes,
  readAttributes,
  writeAttributeColumns,
} from './rows/attributes.ts';
export { type EntityRowsForm, entityRowText, noEntityRows, readEntityRows } from './rows/entity-rows.ts';
export {
  createNamesReader,
  entitiesTsvTexts,
  type NamesReader,
  readEntitiesTsv,
  readPrefixesTsv,
  readRelationsTsv,
  writeEntitiesTsv,
  writePrefixesTsv,
  writeRelationsTsv,
} from './rows/vocabulary-tsv.ts';
export { entitiesWithValues, valuesThatPass } from './values/entities-with-values.ts';
export type { ValuesState } from './values/named-columns.ts';
export { type SortedPlace, sortedByValue, type ValueOrder } from './values/sorted-by-value.ts';
export {
  type AttributeChange,
  attributeColumns,
  attributeValues,
  type ChangedAttributes,
  type PropertyValue,
} from './vocabulary/changed-attributes.ts';
export { createVocabulary, type VocabularyInput } from './vocabulary/create-vocabulary.ts';
export {
  type GrowingVocabulary,
  growingVocabulary,
  type NameChanges,
} from './vocabulary/growing-vocabulary.ts';
export type { NamedEntity } from './vocabulary/layered-names.ts';
