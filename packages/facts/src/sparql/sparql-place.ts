import { randomUUID } from 'node:crypto';
import { FuzzError } from '@fuzzqe/core';
import { perhapsKept } from '../shared/perhaps-kept.ts';
import type { Head, SharedPlace } from '../shared/shared-place.ts';
import type { FactBatch } from '../store/fact-store.ts';
import { type NumberedBatch, numberBatches } from '../store/number-batches.ts';
import { mostKeys } from '../store/recent-keys.ts';
import { readStoredBatch, storedJson } from '../store/stored-batch.ts';
import { factTriples } from './fact-triples.ts';
import type { SparqlClient } from './sparql-client.ts';

/** The number of the vocabulary that this version writes and reads. */
const format = 1;
/** How often a write is tried anew after another process was faster. */
const mostTries = 100;

const logGraph = 'urn:fuzzqe:log';
const store = '<urn:fuzzqe:store>';
const prefix = `PREFIX log: <${logGraph}:>\n`;
const batchNode = (epoch: number): string => `<urn:fuzzqe:batch:${epoch}>`;

/** What a place in an RDF store needs. */
export interface SparqlPlaceOptions {
  readonly client: SparqlClient;
  readonly path: string;
  /** The named graph with the facts; undefined: the default graph. */
  readonly graph: string | undefined;
}

/**
 * Batches in the graph `urn:fuzzqe:log` of an RDF store, and their facts as triples.
 *
 * A write is one operation that changes the triples, records the batches and moves the last epoch on, if the last epoch is still the one
 * that was read. So of several writers one is first, and the others try anew.
 *
 * @throws FuzzError `storage`: the store is away or refuses. `data`: another kind of store.
 */
export async function openSparqlPlace(options: SparqlPlaceOptions): Promise<{
  readonly place: SharedPlace;
  readonly head: Head;
}> {
  const { client, path, graph } = options;
  const update = (text: string): Promise<void> => client.update(prefix + text);
  const select = async (query: string): Promise<readonly (readonly string[])[]> => {
    const rows: (readonly string[])[] = [];
    for await (const row of client.select(prefix + query)) rows.push(row);
    return rows;
  };
  const refusal = (message: string, hint: string): FuzzError =>
    new FuzzError('data', `facts: ${message}`, { path, hint });
  const readHead = async (): Promise<Head & { readonly id: string }> => {
    const rows = await select(
      `SELECT ?format ?id ?last ?compacted { ${inLog(
        `${store} log:format ?format ; log:id ?id ; log:last ?last ; log:compacted ?compacted`,
      )} }`,
    );
    const [[found = '', id = '', last = '', compacted = ''] = []] = rows;
    if (rows.length !== 1 || found !== `${format}`)
      throw refusal(
        `expected one store of format ${format} in <${logGraph}>, got ${rows.length === 1 ? `format ${found}` : rows.length}`,
        'Restore the graph from a copy, or remove it to begin anew.',
      );
    return { id, epoch: Number(last), compacted: Number(compacted) };
  };

  const isThere = `FILTER NOT EXISTS { ${inLog(`${store} log:id ?any`)} }`;
  const fresh = `log:format ${format} ; log:id "${randomUUID()}" ; log:last 0 ; log:compacted 0`;
  await update(`INSERT { ${inLog(`${store} ${fresh}`)} } WHERE { ${isThere} }`);
  const { id, ...head } = await readHead();

  /** How far the store is. */
  const headOf = async (): Promise<Head> => {
    const { id: found, epoch, compacted } = await readHead();
    if (found === id) return { epoch, compacted };
    throw refusal(
      `expected the store ${id}, got ${found}`,
      'The graph was made anew. Restart all servers with it.',
    );
  };
  const knownKeys = async (
    group: readonly { readonly idempotencyKey: string | undefined }[],
  ): Promise<ReadonlyMap<string, number>> => {
    const keys = group.flatMap(({ idempotencyKey: key }) => (key === undefined ? [] : [keyLiteral(key)]));
    if (keys.length === 0) return new Map();
    const rows = await select(
      `SELECT ?key ?of { VALUES ?key { ${keys.join(' ')} } ${inLog('?node log:key ?key ; log:keyOf ?of')} }`,
    );
    return new Map(rows.map(([key = '', of]) => [key, Number(of)]));
  };
  const factsIn = (triples: readonly string[]): string => {
    const all = triples.join(' .\n');
    return graph === undefined || all === '' ? all : `GRAPH <${graph}> { ${all} }`;
  };
  /** Throws the error: if it may pass, the store may have the batch. */
  const throwUnsaid = (cause: unknown): never => {
    if (!(cause instanceof FuzzError) || !cause.passing) throw cause;
    throw perhapsKept(`${cause.message}, as the batch was written`, path, cause);
  };
  /** Whether the batches were written: false if another process was first. */
  const tryWrite = async (numbered: readonly NumberedBatch[], last: number): Promise<boolean> => {
    const token = `<urn:fuzzqe:token:${randomUUID()}>`;
    const { added, removed } = factTriples(numbered.flatMap(({ changes }) => changes));
    const first = last + 1;
    const records = numbered.map((batch) => recordOf(batch, last));
    await update(
      `DELETE { ${inLog(`${store} log:last ${last}`)} ${factsIn(removed)} }
INSERT { ${inLog(`${store} log:last ${last + numbered.length} . ${token} log:tokenOf ${first} . ${records.join(' ')}`)} ${factsIn(added)} }
WHERE { ${inLog(`${store} log:id "${id}" ; log:last ${last}`)} }`,
    ).catch(throwUnsaid);
    const tokens = (
      await select(`SELECT ?token { ${inLog(`?token log:tokenOf ${first}`)} }`).catch(throwUnsaid)
    ).map(([iri = '']) => `<${iri}>`);
    if (tokens.length <= 1) return tokens[0] === token;
    throw refusal(
      `expected one writer of epoch ${first}, got ${tokens.length}`,
      'The RDF store does not do one update after the other: let one process write.',
    );
  };

  const place: SharedPlace = {
    id,
    path,
    head: headOf,
    async write(group, check) {
      for (let tries = 0; tries < mostTries; tries += 1) {
        const before = await headOf();
        check(before);
        const known = await knownKeys(group);
        const { numbered, epochs } = numberBatches(group, before.epoch, (key) =>
          known.get(JSON.stringify(key)),
        );
        const after = before.epoch + numbered.length;
        if (numbered.length === 0 || (await tryWrite(numbered, before.epoch))) return { after, epochs };
      }
      throw new FuzzError('storage', `facts: others were first ${mostTries} times`, {
        ...{ path, passing: true, hint: 'Send the batch again, or let fewer processes write.' },
      });
    },
    async *read(after): AsyncGenerator<FactBatch> {
      const query = `SELECT ?epoch ?batch { ${inLog('?node log:epoch ?epoch ; log:batch ?batch')} FILTER(?epoch > ${after}) } ORDER BY ?epoch`;
      for await (const [epoch, batch = ''] of client.select(prefix + query))
        yield readStoredBatch(batch, `${path}, epoch ${epoch}`);
    },
    async replace({ from, bodies }) {
      const records = bodies.map((body, i) => {
        const epoch = from.epoch - bodies.length + 1 + i;
        return recordOf({ epoch, body }, epoch - 1);
      });
      await update(
        `DELETE { ${inLog(`${store} log:compacted ${from.compacted} . ?node log:epoch ?epoch ; log:batch ?batch . ?token log:tokenOf ?of`)} }
INSERT { ${inLog(`${store} log:compacted ${from.epoch} . ${records.join(' ')}`)} }
WHERE { ${inLog(`${store} log:id "${id}" ; log:compacted ${from.compacted} .
  { ?node log:epoch ?epoch ; log:batch ?batch FILTER(?epoch <= ${from.epoch}) }
  UNION { ?token log:tokenOf ?of FILTER(?of <= ${from.compacted}) }`)} }`,
      );
      const [[oldest] = []] = await select(
        `SELECT ?of { ${inLog('?node log:keyOf ?of')} } ORDER BY DESC(?of) OFFSET ${mostKeys} LIMIT 1`,
      );
      if (oldest !== undefined)
        await update(
          `DELETE { ${inLog('?node log:key ?key ; log:keyOf ?of')} } WHERE { ${inLog(
            '?node log:key ?key ; log:keyOf ?of',
          )} FILTER(?of <= ${Number(oldest)}) }`,
        );
    },
    async close() {},
  };
  return { place, head };
}

function inLog(pattern: string): string {
  return `GRAPH <${logGraph}> { ${pattern} }`;
}

/** What stands in the graph of a batch. */
function recordOf(
  { epoch, body, idempotencyKey: key }: Pick<NumberedBatch, 'epoch' | 'body'> & Partial<NumberedBatch>,
  flushed: number,
): string {
  const json = Buffer.concat(storedJson(epoch, flushed, body)).toString('utf8');
  const keyed = key === undefined ? '' : ` ; log:key ${keyLiteral(key)} ; log:keyOf ${epoch}`;
  return `${batchNode(epoch)} log:epoch ${epoch} ; log:batch ${literal(json)}${keyed} .`;
}

// A key may have line feeds and half of a character.
const keyLiteral = (key: string): string => literal(JSON.stringify(key));

/** A text without line feeds as a literal. */
function literal(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}
