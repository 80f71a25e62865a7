import { asRelationId } from '@fuzzqe/core';
import { type Condition, type Pattern, type Term, variablesOf, withTerms } from '@fuzzqe/core/query';
import { type Drawing, type DrawnLink, type DrawnNode, freePlace, lastId, nodeOf } from './drawing.ts';

/**
 * The pattern of a drawing; nothing where no link has a relation.
 *
 * Links without a relation are left out, and nodes that no condition mentions.
 */
export function toPattern(drawing: Drawing): Pattern | undefined {
  const conditions = [
    ...drawing.links.flatMap((link) => conditionOf(link, drawing) ?? []),
    ...drawing.others,
  ];
  const [first] = conditions;
  if (first === undefined) return undefined;
  const where: Condition = conditions.length === 1 ? first : { op: 'and', operands: conditions };
  const mentioned = variablesOf(where);
  const answers = drawing.answers.filter((id) => mentioned.has(id));
  const ids = [...new Set([...answers, ...mentioned])];
  return {
    variables: ids.map((id) => nameOf(nodeOf(drawing, id))),
    answers: answers.map((_, i) => i),
    where: withTerms(where, (term) => ('entity' in term ? term : { variable: ids.indexOf(term.variable) })),
  };
}

/** A pattern as a drawing; nodes and links that another drawing has keep their ids and places. */
export function fromPattern({ variables, answers, where }: Pattern, before: Drawing): Drawing {
  const nodes: DrawnNode[] = [];
  let last = lastId(before);
  // Known nodes come first: new nodes find places between them.
  const nodeFor = (is: DrawnNode['is'], knownOnly: boolean): number | undefined => {
    const isSame = (node: DrawnNode): boolean => keyOf(node.is) === keyOf(is);
    const placed = nodes.find(isSame);
    if (placed !== undefined) return placed.id;
    const known = before.nodes.find(isSame);
    if (known === undefined && knownOnly) return undefined;
    nodes.push(known ?? { id: ++last, ...freePlace(nodes), is });
    return nodes.at(-1)!.id;
  };
  const isOf = (term: Term): DrawnNode['is'] =>
    'entity' in term ? term : { variable: variables[term.variable]! };
  const conditions = where.op === 'and' ? where.operands : [where];
  const drawn = conditions.flatMap((condition) => arrowOf(condition) ?? []);
  const terms = [
    ...variables.map((_, variable): Term => ({ variable })),
    ...drawn.flatMap(({ from, to }) => [from, to]),
  ];
  for (const knownOnly of [true, false]) for (const term of terms) nodeFor(isOf(term), knownOnly);
  const idOf = (term: Term): number => nodeFor(isOf(term), false)!;
  const free = [...before.links];
  const links = drawn.map(({ from, to, ...what }): DrawnLink => {
    const link = { ...what, from: idOf(from), to: idOf(to) };
    const at = free.findIndex(
      (each) =>
        each.from === link.from &&
        each.to === link.to &&
        each.relation === link.relation &&
        each.isNegated === link.isNegated,
    );
    return { ...link, id: at < 0 ? ++last : free.splice(at, 1)[0]!.id };
  });
  return {
    nodes,
    links,
    answers: answers.map((variable) => idOf({ variable })),
    others: conditions
      .filter((condition) => arrowOf(condition) === undefined)
      .map((condition) =>
        withTerms(condition, (term) => ('entity' in term ? term : { variable: idOf(term) })),
      ),
  };
}

/** The name of a variable. */
function nameOf(node: DrawnNode | undefined): string {
  return node !== undefined && 'variable' in node.is ? node.is.variable : '';
}

function keyOf(is: DrawnNode['is']): string | number {
  return 'entity' in is ? is.entity : is.variable;
}

function conditionOf({ from, to, relation, isNegated }: DrawnLink, drawing: Drawing): Condition | undefined {
  if (relation === undefined) return undefined;
  const termOf = (id: number): Term => {
    const node = nodeOf(drawing, id);
    return node !== undefined && 'entity' in node.is ? node.is : { variable: id };
  };
  const [left, right] = [termOf(from), termOf(to)];
  const condition: Condition =
    relation === 'same' ? { op: 'same', left, right } : { op: 'link', relation, from: left, to: right };
  return isNegated ? { op: 'not', operand: condition } : condition;
}

type Arrow = Pick<DrawnLink, 'isNegated' | 'relation'> & { readonly from: Term; readonly to: Term };

/** A condition as an arrow; nothing where no arrow says it. */
function arrowOf(condition: Condition): Arrow | undefined {
  const isNegated = condition.op === 'not';
  const inner = condition.op === 'not' ? condition.operand : condition;
  if (inner.op === 'same') return { relation: 'same', isNegated, from: inner.left, to: inner.right };
  if (inner.op !== 'link' || inner.repeat !== undefined) return undefined;
  const { relation, from, to } = inner;
  if (relation % 2 === 0) return { relation, isNegated, from, to };
  return { relation: asRelationId(relation - 1), isNegated, from: to, to: from };
}
