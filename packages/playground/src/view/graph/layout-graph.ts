import dagre from '@dagrejs/dagre';
import { partsOf, type Question } from '../../question/question.ts';

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
  /** What stands on it; empty where nothing does. */
  readonly label: string;
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
  /** What stands on the arrow to a part. */
  readonly labelOf: (part: Question) => string;
  /** How wide a label is, in pixels. */
  readonly measure: (label: string) => number;
}

/**
 * Places the dependency graph of a question as the paper's Figure 1 does: anchors first, the target last, an arrow from each part
 * to the part that is made of it, with the relation on it.
 */
export function layoutGraph(
  question: Question,
  { direction, size, spacing = 1, labelOf, measure }: LayoutOptions,
): PlacedGraph {
  const graph = new dagre.graphlib.Graph();
  const isRight = direction === 'right';
  graph.setGraph({
    rankdir: isRight ? 'LR' : 'TB',
    ranksep: (isRight ? 14 : 22) * spacing,
    nodesep: (isRight ? 10 : 14) * spacing,
    edgesep: 8 * spacing,
    marginx: 10 * spacing,
    marginy: 10 * spacing,
  });
  const parts = new Map<string, Question>();
  const edges: { readonly from: string; readonly to: Question; readonly label: string }[] = [];
  const add = (part: Question): void => {
    parts.set(part.key, part);
    graph.setNode(part.key, { width: size.width, height: size.height });
    for (const below of partsOf(part)) {
      add(below);
      const label = labelOf(part);
      edges.push({ from: below.key, to: part, label });
      const space = isRight
        ? { width: label === '' ? 20 * spacing : measure(label) + 20, height: 16 * spacing }
        : { width: 20 * spacing, height: label === '' ? 4 : 22 };
      graph.setEdge(below.key, part.key, { ...space, labelpos: 'c' });
    }
  };
  add(question);
  dagre.layout(graph);

  const placed = new Map<string, PlacedPart>();
  for (const [key, part] of parts) {
    const centre = graph.node(key);
    const left = (centre.x ?? 0) - size.width / 2;
    const top = (centre.y ?? 0) - size.height / 2;
    const x = isRight ? left + size.width / 2 : left + size.radius + inset(size);
    placed.set(key, { part, x, y: top + size.radius + inset(size), left, top });
  }
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    parts: [...placed.values()],
    arrows: edges.map(({ from, to, label }) => {
      const [a, b] = [placed.get(from), placed.get(to.key)];
      // Both were placed above.
      const curve = isRight
        ? rightward(a as PlacedPart, b as PlacedPart, size)
        : downward(a as PlacedPart, b as PlacedPart, size);
      return { from, to: to.key, label, negative: to.kind === 'not', ...curve };
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
    labelX: (a.x + b.x) / 2 + 8,
    labelY: middle + 4,
  };
}
