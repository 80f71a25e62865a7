/** What stands directly below a node of a tree: of a query, a template, a condition of a pattern, or a derivation. */
type Below<Node> = Node extends { readonly operands: readonly (infer Part)[] }
  ? Part
  : Node extends { readonly operand: infer Part }
    ? Part
    : Node extends { readonly op: 'project' | 'reach'; readonly from?: infer Part }
      ? Exclude<Part, undefined>
      : never;

/** The nodes directly below a node, in their order. */
function nodesBelow<Node extends { readonly op: string }>(node: Node): readonly Below<Node>[] {
  // By the type: a condition on a link has terms as its ends.
  const { op, from, operand, operands } = node as {
    readonly op: string;
    readonly from?: Below<Node>;
    readonly operand?: Below<Node>;
    readonly operands?: readonly Below<Node>[];
  };
  const only = op === 'project' || op === 'reach' ? from : operand;
  return operands ?? (only === undefined ? [] : [only]);
}

/** All nodes of a tree: each before the nodes below it, from left to right. */
export function nodesOf<Node extends { readonly op: string }>(root: Node): (Node | Below<Node>)[] {
  const nodes: (Node | Below<Node>)[] = [];
  const open: (Node | Below<Node>)[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodes.push(node);
    // Nodes below a node are nodes of the same kind of tree.
    const below = nodesBelow(node as Node) as readonly Below<Node>[];
    for (let i = below.length - 1; i >= 0; i -= 1) open.push(below[i]!);
  }
  return nodes;
}

/** The nodes of a tree without nodes below them, from left to right. */
export function leavesOf<Node extends { readonly op: string }>(root: Node): (Node | Below<Node>)[] {
  return nodesOf(root).filter((node) => nodesBelow(node as Node).length === 0);
}
