import { type StructureName, structureNames } from '@fuzzqe/core/query';
import type { Command } from 'commander';
import { parseChoice, parseChoices, parseWholeNumber } from '../options/parse-options.ts';
import { doing } from '../terminal/doing.ts';
import type { Terminal } from '../terminal/terminal.ts';

const addresses = `
Addresses:
  postgres://user@host/database     PostgreSQL with pgvector; npm install pg
  lancedb:folder                    LanceDB; npm install @lancedb/lancedb apache-arrow
  lancedb+s3://bucket/folder        the same in an object store
  milvus://user@host:19530          Milvus; npm install @zilliz/milvus2-sdk-node
Optional parameters: ?table=name, ?method=exact, ?effort=n.
Keep a password in PGPASSWORD or MILVUS_TOKEN rather than in an address.`;

const pushExamples = `${addresses}

Ctrl-C stops the command; the same command continues, and does nothing if the
database is complete.

Examples:
  fuzzqe index push bundles/fb --to postgres://localhost/kg
  fuzzqe index push bundles/fb --to lancedb:./fb-index`;

const recallExamples = `${addresses}

Queries are drawn from the recorded facts; for each query, the best
entities of the index are compared with the best entities of the bundle.

Examples:
  fuzzqe index recall bundles/fb --index postgres://localhost/kg
  fuzzqe index recall bundles/fb --index lancedb:./fb-index --structures 1p,2i --queries 200`;

/** Adds `fuzzqe index push` and `fuzzqe index recall`. */
export function addIndexCommand(program: Command, terminal: Terminal): void {
  const index = program
    .command('index')
    .description("keep a bundle's entities in a database that finds nearest vectors");
  index
    .command('push <bundle>')
    .description('write the entities of a bundle into a database')
    .requiredOption('--to <url>', 'the database')
    .option('--profile <name>', 'precision profile of the model to write')
    .option('--batch <n>', 'entities of one write', parseWholeNumber(1, 10_000), 2000)
    .option('--replace', 'first remove entities of this or another bundle from the database')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', pushExamples)
    .action(doing(terminal, async () => (await import('../actions/entity-index/push.ts')).pushAt));
  index
    .command('recall <bundle>')
    .description('compare what a database finds with the exact ranking')
    .requiredOption('--index <url>', 'the database')
    .option('--profile <name>', 'precision profile of the model that answers')
    .option(
      '--structures <names>',
      'query structures to compare (default: all)',
      parseChoices<StructureName>(structureNames, 'structure'),
    )
    .option('--queries <n>', 'queries of each structure', parseWholeNumber(1, 100_000), 50)
    .option('-k <n>', 'number of best entities to compare', parseWholeNumber(1, 1000), 10)
    .option(
      '--mode <sets|embedding>',
      'answer mode to compare',
      parseChoice(['sets', 'embedding'], 'mode'),
      'sets',
    )
    .option('--seed <n>', 'seed of the queries', parseWholeNumber(0), 0)
    .option('--json', 'print the figures as JSON')
    .addHelpText('after', recallExamples)
    .action(doing(terminal, async () => (await import('../actions/entity-index/recall.ts')).recallAt));
}
