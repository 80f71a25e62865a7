import { asRelationId, type EntityId, type RelationId } from '@fuzzqe/core';
import { variablesOf } from '@fuzzqe/core/query';
import { type Drawing, type DrawnLink, type DrawnNode, freePlace, lastId, type Place } from './drawing.ts';

/** Adds an answer variable with a free name, at a free place. */
export function addVariable(drawing: Drawing): Drawing {
  const id = lastId(drawing) + 1;
  const node = { id, ...freePlace(drawing.nodes), is: { variable: freeName(drawing.nodes) } };
  return { ...drawing, nodes: [...drawing.nodes, node], answers: [...drawing.answers, id] };
}

/** Adds an entity at a free place; a drawing that has it stays as it is. */
export function addEntity(drawing: Drawing, entity: EntityId): Drawing {
  if (drawing.nodes.some(({ is }) => 'entity' in is && is.entity === entity)) return drawing;
  const node = { id: lastId(drawing) + 1, ...freePlace(drawing.nodes), is: { entity } };
  return { ...drawing, nodes: [...drawing.nodes, node] };
}

/** Links two nodes by a relation that is to be chosen. */
export function addLink(drawing: Drawing, from: number, to: number): Drawing {
  const link: DrawnLink = { id: lastId(drawing) + 1, from, to, isNegated: false };
  return { ...drawing, links: [...drawing.links, link] };
}

/** Gives a link a relation, or =; an inverse turns the link round. */
export function setRelation(drawing: Drawing, id: number, relation: RelationId | 'same'): Drawing {
  return changeLink(drawing, id, (link) => {
    if (relation === 'same' || relation % 2 === 0) return { ...link, relation };
    return { ...turned(link), relation: asRelationId(relation - 1) };
  });
}

/** Says that the nodes of a link differ. */
export function setDifferent(drawing: Drawing, id: number): Drawing {
  return changeLink(drawing, id, (link) => ({ ...link, relation: 'same', isNegated: true }));
}

/** Negates a link; a negated link becomes positive again. */
export function negateLink(drawing: Drawing, id: number): Drawing {
  return changeLink(drawing, id, (link) => ({ ...link, isNegated: !link.isNegated }));
}

/** Lets a link lead the other way. */
export function turnLink(drawing: Drawing, id: number): Drawing {
  return changeLink(drawing, id, turned);
}

/** Makes a variable an answer variable, or none. */
export function toggleAnswer(drawing: Drawing, id: number): Drawing {
  const { answers } = drawing;
  return {
    ...drawing,
    answers: answers.includes(id) ? answers.filter((each) => each !== id) : [...answers, id],
  };
}

/** Moves a node. */
export function moveNode(drawing: Drawing, id: number, { x, y }: Place): Drawing {
  const within = (value: number): number => Math.min(Math.max(value, 0), 1);
  const move = (node: DrawnNode): DrawnNode =>
    node.id === id ? { ...node, x: within(x), y: within(y) } : node;
  return { ...drawing, nodes: drawing.nodes.map(move) };
}

/** Removes a link, or a node with all conditions on it. */
export function removeItem(drawing: Drawing, id: number): Drawing {
  return {
    nodes: drawing.nodes.filter((node) => node.id !== id),
    links: drawing.links.filter((link) => link.id !== id && link.from !== id && link.to !== id),
    answers: drawing.answers.filter((each) => each !== id),
    others: drawing.others.filter((condition) => !variablesOf(condition).has(id)),
  };
}

function changeLink(drawing: Drawing, id: number, change: (link: DrawnLink) => DrawnLink): Drawing {
  return { ...drawing, links: drawing.links.map((link) => (link.id === id ? change(link) : link)) };
}

function turned(link: DrawnLink): DrawnLink {
  return { ...link, from: link.to, to: link.from };
}

/** The first of x, y, z, u, v, w, x1, y1 … that no variable has. */
function freeName(nodes: readonly DrawnNode[]): string {
  const taken = new Set(nodes.map(({ is }) => ('variable' in is ? is.variable : '')));
  for (let i = 0; ; i += 1) {
    const name = `${'xyzuvw'[i % 6]}${i < 6 ? '' : Math.floor(i / 6)}`;
    if (!taken.has(name)) return name;
  }
}
