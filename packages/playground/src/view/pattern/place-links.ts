import { type Drawing, type DrawnLink, type DrawnNode, nodeOf, type Place } from '../../pattern/drawing.ts';

/** The radius of a variable, in pixels. */
export const radius = 21;

/** The radius of a node, in pixels. */
export function radiusOf({ is }: DrawnNode): number {
  return 'variable' in is ? radius : radius - 10;
}

/** How far arrows between the same nodes stand apart, in pixels. */
const apart = 46;

/** A link with its arrow, in pixels. */
export interface PlacedLink {
  readonly link: DrawnLink;
  readonly path: string;
  readonly labelX: number;
  readonly labelY: number;
}

/** The arrows of a drawing: those between the same two nodes bend, and a link of a node to itself is a loop. */
export function placeLinks(
  drawing: Drawing,
  size: { readonly width: number; readonly height: number },
): PlacedLink[] {
  const pairs = new Map<string, DrawnLink[]>();
  for (const link of drawing.links) {
    const pair = [link.from, link.to].sort((a, b) => a - b).join(' ');
    pairs.set(pair, [...(pairs.get(pair) ?? []), link]);
  }
  return [...pairs.values()].flatMap((links) =>
    links.flatMap((link, i): PlacedLink[] => {
      const [from, to] = [nodeOf(drawing, link.from), nodeOf(drawing, link.to)];
      if (from === undefined || to === undefined) return [];
      const a = { ...pixels(from, size), radius: radiusOf(from) };
      const b = { ...pixels(to, size), radius: radiusOf(to) };
      if (from === to) return [{ link, ...loop(a, i) }];
      // The same side for both directions of a pair.
      const side = link.from < link.to ? 1 : -1;
      return [{ link, ...bend(a, b, side * (i - (links.length - 1) / 2) * apart) }];
    }),
  );
}

/** Where a node stands, in pixels. */
export function pixels(
  { x, y }: Place,
  { width, height }: { readonly width: number; readonly height: number },
): Place {
  return { x: x * width, y: y * height };
}

interface Circle extends Place {
  readonly radius: number;
}

function bend(a: Circle, b: Circle, by: number): Omit<PlacedLink, 'link'> {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [dx, dy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const middle = { x: (a.x + b.x) / 2 - dy * by * 2, y: (a.y + b.y) / 2 + dx * by * 2 };
  const start = towards(a, middle, a.radius);
  const end = towards(b, middle, b.radius + 3);
  return {
    path: `M${point(start)} Q${point(middle)} ${point(end)}`,
    labelX: (a.x + b.x) / 4 + middle.x / 2,
    labelY: (a.y + b.y) / 4 + middle.y / 2,
  };
}

function loop({ x, y, radius: own }: Circle, i: number): Omit<PlacedLink, 'link'> {
  const high = 70 + i * 30;
  const start = towards({ x, y }, { x: x - 40, y: y - high }, own);
  const end = towards({ x, y }, { x: x + 40, y: y - high }, own + 3);
  return {
    path: `M${point(start)} C${x - 40},${y - high} ${x + 40},${y - high} ${point(end)}`,
    labelX: x,
    labelY: y - high * 0.8,
  };
}

function towards(from: Place, to: Place, by: number): Place {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  return { x: from.x + ((to.x - from.x) / length) * by, y: from.y + ((to.y - from.y) / length) * by };
}

function point({ x, y }: Place): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}
