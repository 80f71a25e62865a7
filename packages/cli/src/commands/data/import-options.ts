import { type Command, Option } from 'commander';
import { importFormats } from '../../options/choices.ts';
import { parseHoldOutShare } from '../../options/parse-options.ts';

/** Adds what tells how triples are read and split, to every command that imports some; what is not given is as the import has it. */
export function addImportOptions(command: Command): Command {
  return addReadingOptions(command)
    .option('--licence <spdx>', 'licence of the facts (default: unknown)')
    .option('--valid <triples>', 'validation facts; without them some are held out')
    .option('--test <triples>', 'test facts; without them some are held out')
    .option(
      '--hold-out <share>',
      'share of the facts to hold out for validation, and for the test as many (default: 0.1); 0: none',
      parseHoldOutShare,
    )
    .option('--drop-unseen', 'leave out held-out facts about entities that no training fact names');
}

/** Adds what tells how triples are read. */
export function addReadingOptions(command: Command): Command {
  return command
    .addOption(new Option('--format <form>', 'the form of the files (default: auto)').choices(importFormats))
    .option('--entities <tsv>', 'names: key, label, description; or id, key, label, description')
    .option('--relations <tsv>', 'the same for relations')
    .addOption(
      new Option('--header <when>', 'whether TSV and CSV begin with titles (default: auto)').choices([
        'auto',
        'yes',
        'no',
      ]),
    )
    .option('--comment <text>', "pass over lines of TSV and CSV that begin with it, as '#'")
    .option(
      '--ignore-extra',
      'read three columns of TSV and CSV that have more; which ones, a header may say',
    )
    .option(
      '--columns <map>',
      'which column holds what: \'head=film,relation="likes",tail=user\', by titles or numbers',
    )
    .option('--table <column>', 'read each other column as a relation of this one, called as its title')
    .option('--skip-bad', 'leave out lines that cannot be read, and count them')
    .option(
      '--language <tag>',
      'which labels and descriptions of RDF to show; others can be searched (default: en)',
    )
    .option('--no-attributes', 'leave out numbers, dates, booleans and texts of entities')
    .option('--skip-blank', 'leave out RDF triples with a blank node as subject or object')
    .option('--contract-blank', 'make a relation r1/r2 of each path through an RDF blank node')
    .option('--base <iri>', "what relative IRIs are relative to (default: the file's own URL)")
    .option('--query-file <file>', 'the query of a SPARQL endpoint or a database whose address has none');
}
