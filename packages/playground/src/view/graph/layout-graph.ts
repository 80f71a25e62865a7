import { hierarchy, tree } from 'd3-hierarchy';
import { partsOf, type Question } from '../../question/question.ts';
import { fitRelation } from './caption-text.ts';

/** Which way arrows point: to the right, or down where there is little width. */
export type Direction = 'right' | 'down';

/** A part of a question with its place. */
export interface PlacedPart {
  readonly part: Question;
  /** The centre of its circle. */
  readonly x: number;
  readonly y: number;
  /** The left and upper corner of all that is drawn of it. */
  readonly left: number;
  readonly top: number;
}

/** An arrow from a part to the one that is made of it. */
export interface PlacedArrow {
  readonly from: string;
  readonly to: string;
  /** What stands on it, cut to the room that there is; empty where nothing does. */
  readonly label: string;
  /** The same in full. */
  readonly fullLabel: string;
  /** As an SVG path. */
  readonly path: string;
  readonly labelX: number;
  readonly labelY: number;
  /** Whether what it leads to is a negation. */
  readonly negative: boolean;
}

/** A dependency graph with the place of everything, in pixels. */
export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly parts: readonly PlacedPart[];
  readonly arrows: readonly PlacedArrow[];
}

/** What is drawn of a part: a circle, and a caption below it or to the right of it. */
export interface PartSize {
  readonly width: number;
  readonly height: number;
  readonly radius: number;
}

/** How a graph is laid out. */
export interface LayoutOptions {
  readonly direction: Direction;
  readonly size: PartSize;
  /** How far parts stand from each other, as a share of what is usual. Default 1. */
  readonly spacing?: number;
  /** How wide a graph may be for the sake of its labels, in pixels. Default: no wider than it has to be. */
  readonly room?: number;
  /** What stands on the arrow to a part. */
  readonly labelOf: (part: Question) => string;
  /** How wide a label is, in pixels. */
  readonly measure: (label: string) => number;
}

/** How wide a label of an arrow to the right may be, in pixels, where there is no room and where there is. */
const leastLabel = 90;
const mostLabel = 180;

/** How far from the centre of its arrow a label stands that points down. */
const besideArrow = 8;

/**
 * Places the dependency graph of a question as the paper's Figure 1 does: anchors first, the target last, an arrow from each part
 * to the part that is made of it, with the relation on it.
 */
export function layoutGraph(
  question: Question,
  { direction, size, spacing = 1, room = 0, labelOf, measure }: LayoutOptions,
): PlacedGraph {
  const isRight = direction === 'right';
  const margin = 10 * spacing;
  const along = isRight ? size.width : size.height;
  const nodes = tree<Question>()
    .nodeSize([1, 1])
    .separation(() => 1)(hierarchy(question, partsOf))
    .descendants();
  const target = nodes[0]!; // a question is a part itself
  const labels = new Map(nodes.map(({ data }) => [data.key, labelOf(data)]));
  const first = Math.min(...nodes.map(({ x }) => x));
  const span = Math.max(...nodes.map(({ x }) => x)) - first;
  const apart = (isRight ? 10 : 14) * spacing;
  // Down, a label stands beside its arrow, in the column of its part, which is wider for it where there is room.
  const start = size.radius + inset(size) + besideArrow;
  const widest = start + Math.ceil(Math.max(...[...labels.values()].map(measure)));
  const column = Math.max(size.width, Math.min(widest, (room - 2 * margin + apart) / (span + 1) - apart));
  // To the right, each column of arrows has the same share of what parts leave.
  const share = (room - 2 * margin - along) / target.height - along - (14 + 20) * spacing;
  const limit = isRight ? Math.max(leastLabel, Math.min(share, mostLabel)) : column - start;
  const across = isRight ? size.height : column;
  const step = across + apart;
  const edges = nodes.flatMap(({ data, parent, depth }) => {
    if (parent === null) return [];
    const fullLabel = labels.get(parent.data.key)!; // of the same nodes
    const label = fitRelation(fullLabel, limit, measure);
    return [{ from: data.key, to: parent.data, label, fullLabel, depth }];
  });
  const spaceOf = (label: string): number => {
    if (isRight) return label === '' ? 20 * spacing : measure(label) + 20;
    return label === '' ? 4 : 22;
  };
  // Where the parts of each depth begin: the target is last, and a column of arrows as wide as its widest label.
  const starts: number[] = new Array(target.height + 1).fill(margin);
  for (let depth = target.height - 1; depth >= 0; depth -= 1) {
    const spaces = edges.filter((edge) => edge.depth === depth + 1).map(({ label }) => spaceOf(label));
    starts[depth] = starts[depth + 1]! + along + (isRight ? 14 : 22) * spacing + Math.max(...spaces);
  }

  const placed = new Map(
    nodes.map(({ data: part, x: place, depth }): [string, PlacedPart] => {
      const [own, beside] = [starts[depth]!, margin + (place - first) * step];
      const [left, top] = isRight ? [own, beside] : [beside, own];
      const x = isRight ? left + size.width / 2 : left + size.radius + inset(size);
      return [part.key, { part, x, y: top + size.radius + inset(size), left, top }];
    }),
  );
  const length = starts[0]! + along + margin;
  const breadth = span * step + across + 2 * margin;
  return {
    width: isRight ? length : breadth,
    height: isRight ? breadth : length,
    parts: [...placed.values()],
    arrows: edges.map(({ from, to, label, fullLabel }) => {
      const [a, b] = [placed.get(from), placed.get(to.key)];
      // Both were placed above.
      const curve = isRight
        ? rightward(a as PlacedPart, b as PlacedPart, size)
        : downward(a as PlacedPart, b as PlacedPart, size);
      return { from, to: to.key, label, fullLabel, negative: to.kind === 'not', ...curve };
    }),
  };
}

/** How far a circle stands from the edge of its part; those of pictures fill it. */
function inset({ radius }: PartSize): number {
  return radius > 10 ? 8 : 2;
}

/** How far an arrow ends before its circle. */
const gap = 3;

type Curve = Pick<PlacedArrow, 'path' | 'labelX' | 'labelY'>;

/** Straight past the captions of both ends, and curved between them. */
function rightward(a: PlacedPart, b: PlacedPart, { width, radius }: PartSize): Curve {
  const [from, to] = [a.left + width - width / 5, b.left + width / 5];
  const middle = (from + to) / 2;
  return {
    path: `M${a.x + radius + gap} ${a.y}H${from}C${middle} ${a.y} ${middle} ${b.y} ${to} ${b.y}H${b.x - radius - gap}`,
    labelX: middle,
    labelY: (a.y + b.y) / 2 - 6,
  };
}

function downward(a: PlacedPart, b: PlacedPart, { height, radius }: PartSize): Curve {
  const [from, to] = [a.top + height - 6, b.top - 2];
  const middle = (from + to) / 2;
  return {
    path: `M${a.x} ${a.y + radius + gap}V${from}C${a.x} ${middle} ${b.x} ${middle} ${b.x} ${to}V${b.y - radius - gap}`,
    labelX: (a.x + b.x) / 2 + besideArrow,
    labelY: middle + 4,
  };
}
