/**
 * The sets of two or more nodes of a directed graph that reach each other: its strongly connected components.
 *
 * Members ascending, sets by their first member. Time and memory: nodes and edges; no recursion, so chains may be long.
 * Source: Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972.
 */
export function findCycles(edges: Iterable<readonly [from: number, to: number]>): number[][] {
  const next = new Map<number, number[]>();
  for (const [from, to] of edges) {
    const known = next.get(from);
    if (known === undefined) next.set(from, [to]);
    else known.push(to);
  }
  const order = new Map<number, number>();
  const lowest = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const cycles: number[][] = [];
  const enter = (node: number, path: Visit[]): void => {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    open.push(node);
    isOpen.add(node);
    path.push({ node, at: 0 });
  };
  const lower = (node: number, to: number): void => {
    if (to < lowest.get(node)!) lowest.set(node, to);
  };
  const leave = (node: number): void => {
    if (lowest.get(node) !== order.get(node)) return;
    const members = open.splice(open.lastIndexOf(node));
    for (const each of members) isOpen.delete(each);
    if (members.length > 1) cycles.push(members.sort((a, b) => a - b));
  };
  for (const root of next.keys()) {
    if (order.has(root)) continue;
    const path: Visit[] = [];
    enter(root, path);
    while (path.length > 0) {
      const visit = path.at(-1)!;
      const to = next.get(visit.node)?.[visit.at];
      if (to === undefined) {
        path.pop();
        const above = path.at(-1);
        if (above !== undefined) lower(above.node, lowest.get(visit.node)!);
        leave(visit.node);
        continue;
      }
      visit.at += 1;
      if (!order.has(to)) enter(to, path);
      else if (isOpen.has(to)) lower(visit.node, order.get(to)!);
    }
  }
  return cycles.sort((a, b) => a[0]! - b[0]!);
}

/** A node whose edges are followed, and which of them comes next. */
interface Visit {
  readonly node: number;
  at: number;
}
