import type { Engine } from '@fuzzqe/engine';
import { knownPrefixes } from '../names/key-iris.ts';
import { literalTerm } from '../terms/rdf-term.ts';
import { turtleOf } from '../terms/turtle-term.ts';

/**
 * Says in Turtle what this endpoint is, in the vocabulary of SPARQL 1.1 Service Description.
 *
 * Its entailment is no regime of the W3C: what the model predicts is entailed to a degree.
 */
export function serviceDescription({ manifest, facts, vocabulary }: Engine, takesUpdates: boolean): string {
  const prefixes = [...knownPrefixes(vocabulary)].map(
    ([name, iri]) =>
      `    sh:declare [ sh:prefix ${stringOf(name)} ; sh:namespace ${stringOf(iri)}^^xsd:anyURI ]`,
  );
  return `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix void: <http://rdfs.org/ns/void#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

[] a sd:Service ;
    rdfs:label ${stringOf(manifest.name)} ;
    rdfs:comment ${stringOf(comment)}@en ;
    sd:endpoint <> ;
    sd:supportedLanguage sd:SPARQL11Query${takesUpdates ? ' , sd:SPARQL11Update' : ''} ;
    sd:languageExtension <urn:fuzzqe:sparql:degree> ;
    sd:defaultEntailmentRegime <urn:fuzzqe:entailment:approximate> ;
    sd:resultFormat <http://www.w3.org/ns/formats/SPARQL_Results_JSON> ,
        <http://www.w3.org/ns/formats/SPARQL_Results_XML> ,
        <http://www.w3.org/ns/formats/SPARQL_Results_CSV> ,
        <http://www.w3.org/ns/formats/SPARQL_Results_TSV> ,
        <http://www.w3.org/ns/formats/Turtle> ,
        <http://www.w3.org/ns/formats/N-Triples> ;
${prefixes.join(' ;\n')} ;
    sd:defaultDataset [
        a sd:Dataset ;
        sd:defaultGraph [
            a sd:Graph , void:Dataset ;
            void:triples ${facts.edgeCount / 2} ;
            void:entities ${vocabulary.entityCount} ;
            void:properties ${vocabulary.relationCount / 2}
        ]
    ] .
`;
}

const comment =
  'Answers queries by the algebra of SPARQL 1.1, in the graph of the recorded facts and of the links that a model predicts with a ' +
  'degree of 0.5 or more. With ?degree, ?known or ?label the answers of a query are ranked: its ' +
  'rows are the best answers. ?degree is how likely an answer is, from 0 to 1; ?known says whether the facts give it without a ' +
  'doubt; ?label is its label, and ?xLabel that of the variable ?x. FILTER(?degree >= 0.5) and FILTER(!?known) select by them.';

const stringOf = (text: string): string => turtleOf(literalTerm(text));
