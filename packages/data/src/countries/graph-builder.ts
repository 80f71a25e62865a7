import { createKnowledgeGraph, FuzzError, type NameEntry, type Vocabulary } from '@fuzzqe/core';
import { createVocabulary, entityRowText, readAliases } from '@fuzzqe/names';

/** Gathers named entities and the facts between them. */
export interface GraphBuilder {
  /** Adds an entity unless its key is known; gives its id. */
  entity(entry: NameEntry): number;
  /** Adds other names of an entity whose key is known. */
  aliases(key: string, texts: readonly string[]): void;
  /** Adds a fact between known keys. */
  fact(head: string, relation: string, tail: string): void;
  /** The vocabulary and the facts: flat h, r, t with even r, each once, sorted by head, relation, tail. */
  build(): { readonly vocabulary: Vocabulary; readonly triples: Int32Array };
}

/** A builder of a graph with the given forward relations; entities are numbered as they are added. */
export function createGraphBuilder(relations: readonly NameEntry[]): GraphBuilder {
  const entities: NameEntry[] = [];
  const entityIds = new Map<string, number>();
  const relationIds = new Map(relations.map(({ key }, i) => [key, 2 * i]));
  const triples: number[] = [];
  const aliases = new Map<number, readonly string[]>();

  const idOf = (kind: string, ids: ReadonlyMap<string, number>, key: string): number => {
    const id = ids.get(key);
    if (id !== undefined) return id;
    throw new FuzzError('vocabulary', `${kind}: expected a key that was added, got ${JSON.stringify(key)}`, {
      hint: `Add the ${kind} before the facts that name it.`,
    });
  };

  return {
    entity(entry) {
      const known = entityIds.get(entry.key);
      if (known !== undefined) return known;
      entityIds.set(entry.key, entities.length);
      return entities.push(entry) - 1;
    },
    aliases(key, texts) {
      aliases.set(idOf('entity', entityIds, key), texts);
    },
    fact(head, relation, tail) {
      triples.push(
        idOf('entity', entityIds, head),
        idOf('relation', relationIds, relation),
        idOf('entity', entityIds, tail),
      );
    },
    build() {
      const rows = [...aliases]
        .sort(([a], [b]) => a - b)
        .flatMap(([id, texts]) => texts.map((text) => entityRowText(id, ['alias', '', text])));
      const vocabulary = createVocabulary({
        entities,
        relations,
        aliases: readAliases(() => Buffer.from(rows.join('')), entities.length),
      });
      const { entityCount, relationCount } = vocabulary;
      const graph = createKnowledgeGraph({ entityCount, relationCount, triples: Int32Array.from(triples) });
      return { vocabulary, triples: graph.forwardTriples() };
    },
  };
}
