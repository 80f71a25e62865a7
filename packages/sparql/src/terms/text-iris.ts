/** How the IRIs of RDF Schema begin. */
export const rdfs = 'http://www.w3.org/2000/01/rdf-schema#';

/** How the IRIs of SKOS begin. */
export const skos = 'http://www.w3.org/2004/02/skos/core#';

/** The properties of the texts of an entity, by their kinds. */
export const textIris: Readonly<Record<string, string>> & {
  readonly label: string;
  readonly alias: string;
  readonly description: string;
} = {
  label: `${rdfs}label`,
  alias: `${skos}altLabel`,
  description: `${rdfs}comment`,
};

/** How the IRI of an attribute begins whose key is none. */
export const attributeBeginning = 'urn:fuzzqe:attribute:';
