/** A path from one named entity to another through blank nodes. */
export interface BlankPath {
  readonly head: string;
  /** The relations in their order: two or more. */
  readonly relations: readonly string[];
  readonly tail: string;
  readonly line: number;
}

/** Triples with blank nodes, which are kept until all are there. */
export interface BlankPaths {
  add(head: string, relation: string, tail: string, line: number): void;
  /** Gives every path; says how many there were, and how many triples are part of none. */
  contract(take: (path: BlankPath) => void): { readonly facts: number; readonly lost: number };
}

interface Edge {
  readonly relation: string;
  readonly tail: string;
  readonly line: number;
  isUsed: boolean;
}

/** Longer paths than lists of a few members and nested restrictions have. */
const mostHops = 8;
/** A blank node that everything leads to and from would have the square of its facts. */
const mostPaths = 1_000_000;

/** No triples yet. Memory: all triples with blank nodes. */
export function createBlankPaths(): BlankPaths {
  const edges = new Map<string, Edge[]>();
  let count = 0;
  return {
    add(head, relation, tail, line) {
      count++;
      const known = edges.get(head);
      const edge = { relation, tail, line, isUsed: false };
      if (known === undefined) edges.set(head, [edge]);
      else known.push(edge);
    },
    contract(take) {
      let facts = 0;
      let used = 0;
      const walk = (head: string, at: string, path: readonly Edge[]): void => {
        for (const edge of edges.get(at) ?? []) {
          const longer = [...path, edge];
          if (facts >= mostPaths) return;
          if (edge.tail.startsWith('_:')) {
            // A path that comes back to a blank node would go round for ever.
            if (longer.length < mostHops && !path.some(({ tail }) => tail === edge.tail))
              walk(head, edge.tail, longer);
            continue;
          }
          if (longer.length === 1) continue;
          facts++;
          take({ head, relations: longer.map(({ relation }) => relation), tail: edge.tail, line: edge.line });
          for (const part of longer) {
            if (!part.isUsed) used++;
            part.isUsed = true;
          }
        }
      };
      for (const head of edges.keys()) if (!head.startsWith('_:')) walk(head, head, []);
      return { facts, lost: count - used };
    },
  };
}
