import { type ProvenanceField, stateProvenance } from '@fuzzqe/names';
import type { Quad, Term } from 'n3';
import type { GatheredProvenance } from './gather-provenance.ts';
import { fieldOfProperty, isStatementType, partOfProperty, reifies } from './statement-properties.ts';

/** Takes what an RDF file says of statements. */
export interface RdfStatements {
  /** Takes a triple if it is about a statement, or makes its subject stand for a statement; says whether it does. */
  take(quad: Parts, line: number): boolean;
  /** How many triples about statements say nothing that is kept. Throws: `data`, a confidence or a date that is none. */
  finish(): number;
}

type Parts = Pick<Quad, 'subject' | 'predicate' | 'object'>;

interface Statement {
  head?: string;
  relation?: string;
  tail?: string;
  readonly texts: Partial<Record<ProvenanceField, string>>;
  /** Where the first text stands. */
  line?: number;
  /** Triples that say nothing that is kept. */
  lost: number;
  /** Triples that only say of which triple the node is. */
  parts: number;
}

/**
 * The statements of a file: triple terms, nodes that reify a triple term, and nodes of RDF reification.
 *
 * Of several texts of one field the first counts. Memory: what is said of each statement, until the file ends.
 */
export function createRdfStatements(
  path: string,
  provenance: GatheredProvenance | undefined,
  keyOf: (term: Term) => string | undefined,
): RdfStatements {
  const nodes = new Map<string, Statement>();
  const ofNode = (name: string): Statement => {
    const known = nodes.get(name);
    if (known !== undefined) return known;
    const made: Statement = { texts: {}, lost: 0, parts: 0 };
    nodes.set(name, made);
    return made;
  };
  const nameTriple = (statement: Statement, { subject, predicate, object }: Quad): void => {
    const [head, tail] = [keyOf(subject), keyOf(object)];
    if (head === undefined || tail === undefined) return;
    statement.head ??= head;
    statement.relation ??= predicate.value;
    statement.tail ??= tail;
  };
  /** Whether a triple makes its subject stand for a statement. */
  const isMade = ({ predicate, object }: Parts): boolean =>
    isTriple(object) || partOfProperty.has(predicate.value) || isStatementType(predicate.value, object.value);
  return {
    take(quad, line) {
      const { subject, predicate, object } = quad;
      const ofTriple = isTriple(subject) ? asTriple(subject) : undefined;
      // A triple term has no name: that of its parts is no IRI.
      const name = ofTriple === undefined ? (keyOf(subject) ?? '') : `<< ${keysOf(ofTriple, keyOf)} >>`;
      const isKnown = nodes.has(name);
      if (!isKnown && ofTriple === undefined && !isMade(quad)) {
        const about = keyOf(object);
        if (about === undefined || !nodes.has(about)) return false;
        nodes.get(about)!.lost++;
        return true;
      }
      const statement = ofNode(name);
      if (ofTriple !== undefined) nameTriple(statement, ofTriple);
      const part = partOfProperty.get(predicate.value);
      const field = fieldOfProperty(predicate.value);
      if (isTriple(object) && predicate.value === reifies) {
        nameTriple(statement, asTriple(object));
        statement.parts++;
      } else if (part !== undefined || isStatementType(predicate.value, object.value)) {
        const key = keyOf(object);
        if (part !== undefined && key !== undefined) statement[part] ??= key;
        statement.parts++;
      } else if (field !== undefined && (object.termType === 'NamedNode' || object.termType === 'Literal')) {
        statement.texts[field] ??= object.value;
        statement.line ??= line;
      } else statement.lost++;
      return true;
    },
    finish() {
      let lost = 0;
      for (const { head, relation, tail, texts, line, lost: others, parts } of nodes.values()) {
        lost += others;
        const isSaid = line !== undefined && provenance !== undefined;
        if (!isSaid) lost += parts;
        else if (head === undefined || relation === undefined || tail === undefined)
          lost += parts + Object.keys(texts).length;
        else provenance.ofFact(head, relation, tail, stateProvenance(texts, `${path}:${line}`));
      }
      return lost;
    },
  };
}

function isTriple(term: { readonly termType: string }): boolean {
  return term.termType === 'Quad';
}

/** The types of n3 have no triples among the terms of a quad. */
function asTriple(term: unknown): Quad {
  return term as Quad;
}

function keysOf({ subject, predicate, object }: Quad, keyOf: (term: Term) => string | undefined): string {
  return [keyOf(subject), predicate.value, keyOf(object) ?? object.value].join(' ');
}
