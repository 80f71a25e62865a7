import { type Drawing, type DrawnLink, type DrawnNode, nodeOf } from '../../pattern/drawing.ts';
import type { PageState } from '../page-state.ts';

type Words = Pick<PageState, 'labelOf' | 'dataLabel'>;

/** What a node is called: `?x`, or the label of its entity. */
export function nodeWords(node: DrawnNode | undefined, { labelOf }: Words): string {
  if (node === undefined) return '';
  return 'entity' in node.is ? labelOf(node.is.entity) : `?${node.is.variable}`;
}

/** What stands at the arrow of a link. */
export function relationWords({ relation, isNegated }: DrawnLink, { dataLabel }: Words): string {
  if (relation === undefined) return 'which relation?';
  if (relation === 'same') return isNegated ? '≠' : '=';
  return `${isNegated ? 'not ' : ''}${dataLabel(relation)}`;
}

/** A link in words: `?x borders ?y`. */
export function linkWords(link: DrawnLink, drawing: Drawing, words: Words): string {
  const [from, to] = [link.from, link.to].map((id) => nodeWords(nodeOf(drawing, id), words));
  return `${from} ${relationWords(link, words)} ${to}`;
}
