import type { LiteralType } from '../literals/literal-type.ts';

/** A literal. */
export interface PathValue {
  readonly text: string;
  readonly type: LiteralType;
}

/** A path from a named entity to another one, or to a literal, through blank nodes. */
export interface BlankPath {
  readonly head: string;
  /** The relations in their order: two or more. */
  readonly relations: readonly string[];
  /** The last blank node. */
  readonly last: string;
  readonly end: string | PathValue;
  readonly line: number;
}

/** Triples with blank nodes, which are kept until all are there. */
export interface BlankPaths {
  add(head: string, relation: string, end: string | PathValue, line: number): void;
  /** Gives every path; says how many lead to entities, and how many triples and literals are part of none. */
  contract(take: (path: BlankPath) => void): {
    readonly facts: number;
    readonly lost: number;
    readonly lostLiterals: number;
  };
}

interface Edge {
  readonly relation: string;
  readonly end: string | PathValue;
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
  return {
    add(head, relation, end, line) {
      const known = edges.get(head);
      const edge = { relation, end, line, isUsed: false };
      if (known === undefined) edges.set(head, [edge]);
      else known.push(edge);
    },
    contract(take) {
      let paths = 0;
      let facts = 0;
      const walk = (head: string, at: string, path: readonly Edge[]): void => {
        for (const edge of edges.get(at) ?? []) {
          const { end } = edge;
          const longer = [...path, edge];
          if (paths >= mostPaths) return;
          if (typeof end === 'string' && end.startsWith('_:')) {
            // A path that comes back to a blank node would go round for ever.
            if (longer.length < mostHops && !path.some((before) => before.end === end))
              walk(head, end, longer);
            continue;
          }
          if (longer.length === 1) continue;
          paths++;
          if (typeof end === 'string') facts++;
          take({ head, relations: longer.map(({ relation }) => relation), last: at, end, line: edge.line });
          for (const part of longer) part.isUsed = true;
        }
      };
      for (const head of edges.keys()) if (!head.startsWith('_:')) walk(head, head, []);
      const unused = [...edges.values()].flat().filter(({ isUsed }) => !isUsed);
      const lost = unused.filter(({ end }) => typeof end === 'string').length;
      return { facts, lost, lostLiterals: unused.length - lost };
    },
  };
}
