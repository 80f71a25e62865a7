import type { ProvenanceField } from '@fuzzqe/names';

const [rdf, dc, dcterms, prov] = [
  'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  'http://purl.org/dc/elements/1.1/',
  'http://purl.org/dc/terms/',
  'http://www.w3.org/ns/prov#',
];
const qualifier = 'http://www.wikidata.org/prop/qualifier/';
const schemas = ['http://schema.org/', 'https://schema.org/'];

/** What properties of statements say. */
const fields: ReadonlyMap<string, ProvenanceField> = new Map<string, ProvenanceField>([
  [`${dc}source`, 'source'],
  [`${dcterms}source`, 'source'],
  [`${prov}wasDerivedFrom`, 'source'],
  [`${prov}hadPrimarySource`, 'source'],
  [`${dc}date`, 'date'],
  [`${dcterms}date`, 'date'],
  [`${prov}generatedAtTime`, 'date'],
  [`${qualifier}P580`, 'from'],
  [`${qualifier}P582`, 'until'],
  ...schemas.flatMap((schema): [string, ProvenanceField][] => [
    [`${schema}startDate`, 'from'],
    [`${schema}validFrom`, 'from'],
    [`${schema}endDate`, 'until'],
    [`${schema}validThrough`, 'until'],
  ]),
]);

/** The field of a provenance that a property of a statement gives; no vocabulary that many use has a confidence, so its local name counts. */
export function fieldOfProperty(property: string): ProvenanceField | undefined {
  return fields.get(property) ?? (/[#/:]confidence$/.test(property) ? 'confidence' : undefined);
}

/** Leads from a node that stands for a statement to the triple. */
export const reifies: string = `${rdf}reifies`;

/** The properties of RDF reification that name the parts of a triple. */
export const partOfProperty: ReadonlyMap<string, 'head' | 'relation' | 'tail'> = new Map([
  [`${rdf}subject`, 'head'],
  [`${rdf}predicate`, 'relation'],
  [`${rdf}object`, 'tail'],
]);

/** Whether a triple says that its subject is a statement. */
export function isStatementType(property: string, object: string): boolean {
  return property === `${rdf}type` && object === `${rdf}Statement`;
}
