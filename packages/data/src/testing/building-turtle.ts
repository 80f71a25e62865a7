/**
 * An ontology and a building in Turtle as such files come: restrictions and lists of blank nodes, labels by several
 * properties in several languages, none for some, equal local names in two vocabularies, and a prefix nothing uses.
 *
 * 12 facts between IRIs, 14 with a blank node, 2 literals that give no label.
 */
export const buildingTurtle = `@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix schema: <https://schema.org/> .
@prefix site: <http://example.org/site#> .
@prefix room: <http://example.org/site/rooms/> .
PREFIX kind: <http://example.org/kinds/>

# The classes.
kind:Room rdfs:subClassOf kind:Place ;
  rdfs:subClassOf [ a owl:Restriction ; owl:onProperty site:partOf ; owl:someValuesFrom kind:Floor ] ;
  skos:prefLabel "room"@en, "Raum"@de .
kind:Floor rdfs:subClassOf kind:Place, [ a owl:Restriction ; owl:onProperty site:partOf ] ;
  rdfs:label "Etage"@de, "floor"@en-GB ;
  skos:prefLabel "storey"@en, "Stockwerk"@de .
kind:Place skos:prefLabel "place" ; owl:disjointUnionOf ( kind:Room kind:Floor ) .

# The building.
site:partOf rdfs:label "is part of" .
room:Library a kind:Room ; site:partOf site:Ground%20floor ; rdfs:label "the library"@en ; schema:name "Lib" .
room:Entrance%20hall a kind:Room ; site:partOf site:Ground%20floor ; site:area 41.5 .
<http://example.org/site/rooms/100%25%zz> a kind:Room .
site:Library a kind:Place ; skos:altLabel "reading room"@en .
site:Ground%20floor a kind:Floor .
room:Library site:near room:Entrance%20hall .
site:Lift site:near _:lift ; schema:name "lift"@en ; skos:prefLabel "Aufzug"@de ; rdfs:label "ascenseur"@fr .
_:lift a kind:Place .
site:Stair site:near room:Stair .
site:storey a kind:Place .
`;
