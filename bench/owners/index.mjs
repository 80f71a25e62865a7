import { createRandom } from '@fuzzqe/core';
import { familyGraph } from './family.mjs';
import { filmsGraph } from './films.mjs';
import { museumGraph } from './museum.mjs';

/** Graphs as owners have them: the name of a file, whose ending is its form, and its text by a random generator. */
export const owners = {
  family: { file: 'family.tsv', make: familyGraph },
  museum: { file: 'museum.ttl', make: museumGraph },
  films: { file: 'films.csv', make: filmsGraph },
};

/** The text of an owner's graph: the same for the same seed. */
export const ownersText = (name, seed) => owners[name].make(createRandom('owners', name, seed));
