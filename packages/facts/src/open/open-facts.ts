import { expectText, FuzzError } from '@fuzzqe/core';
import { openFactLog } from '../log/open-fact-log.ts';
import { openPostgresFacts } from '../postgres/open-postgres-facts.ts';
import { openSparqlFacts } from '../sparql/open-sparql-facts.ts';
import type { FactStore } from '../store/fact-store.ts';

/** How a store of facts is opened, whatever its kind. */
export interface OpenFactsOptions {
  /** Takes lines for people about what was found at opening. Default: they are dropped. */
  readonly log?: (line: string) => void;
}

/** What names a store of facts, for people. */
export const factsAddress =
  'DIR, postgres://host/database, sparql+http://host/query or sparql+https://host/query';

/**
 * Opens the store of facts that a text names: the path of a folder, or the address of PostgreSQL or an RDF store.
 *
 * @throws FuzzError `usage`: an address of another kind. As `openFactLog`, `openPostgresFacts` and `openSparqlFacts`.
 * @example
 * const facts = await openFacts('postgres://localhost/kg');
 */
export async function openFacts(
  address: string,
  { log = () => {} }: OpenFactsOptions = {},
): Promise<FactStore> {
  expectText('store of facts', address, 'usage');
  const scheme = schemeOf(address);
  switch (scheme) {
    case undefined:
      return openFactLog(address, { log });
    case 'postgres':
    case 'postgresql':
      return openPostgresFacts(address, { log });
    case 'sparql+http':
    case 'sparql+https':
      return openSparqlFacts(address);
    default:
      throw new FuzzError(
        'usage',
        `facts: expected ${factsAddress}, got ${JSON.stringify(`${scheme.slice(0, 40)}:`)}`,
        {
          hint: /^https?$/.test(scheme)
            ? `For an RDF store: sparql+${scheme}://….`
            : 'Give one of these addresses, or the path of a folder.',
        },
      );
  }
}

/** The scheme of an address; undefined for the path of a folder. */
function schemeOf(text: string): string | undefined {
  return (
    /^([a-z][a-z\d+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase() ??
    /^(postgres(?:ql)?|sparql\+https?):/i.exec(text)?.[1]?.toLowerCase()
  );
}
