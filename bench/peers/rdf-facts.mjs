// Prints the facts that an import reads of RDF files: one line of JSON a file, as rdflib_facts.py asks for.
//
//   node bench/peers/rdf-facts.mjs < LIST
//
// LIST has a file and its base IRI a line, between tabs. A line of the result is {facts: [[head, relation, tail], …]},
// or {error} if the import refuses the file.
import { createInterface } from 'node:readline';
import { FuzzError } from '@fuzzqe/core';
import { importDataset } from '@fuzzqe/data';

for await (const line of createInterface({ input: process.stdin })) {
  const [path, base] = line.split('\t');
  console.log(JSON.stringify(await readFacts(path, base)));
}

async function readFacts(path, base) {
  try {
    const { dataset } = await importDataset({ name: 'facts', train: path, base, holdOut: 0 });
    const { train, vocabulary } = dataset;
    const facts = [];
    for (let at = 0; at < train.length; at += 3)
      facts.push([
        vocabulary.entity(train[at]).key,
        vocabulary.relation(train[at + 1]).key,
        vocabulary.entity(train[at + 2]).key,
      ]);
    return { facts };
  } catch (error) {
    if (!(error instanceof FuzzError)) throw error;
    // A file of literals alone is well formed, and has no facts between entities.
    return error.message.startsWith('triples: expected at least one')
      ? { facts: [] }
      : { error: `${error.path}: ${error.message}` };
  }
}
