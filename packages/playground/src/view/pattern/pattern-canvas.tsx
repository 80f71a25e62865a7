import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type DrawnNode, lastId, type Place } from '../../pattern/drawing.ts';
import { addLink, moveNode } from '../../pattern/drawing-edits.ts';
import { fitText } from '../graph/caption-text.ts';
import { CutText } from '../graph/dependency-graph.tsx';
import type { PageState } from '../page-state.ts';
import { linkWords, nodeWords, relationWords } from './item-words.ts';
import { type PlacedLink, pixels, placeLinks, radius, radiusOf } from './place-links.ts';

/** How far the pointer moves before a press is a drag, in pixels. */
const slack = 6;

/** How far from the middle of a node a drag still ends on it, in pixels. */
const reach = radius + 9;

/** How many characters of a name are shown. */
const longest = 26;

/** How far an arrow key moves a node, as a part of the canvas. */
const step = 0.04;

const steps: Readonly<Record<string, Place>> = {
  ArrowLeft: { x: -step, y: 0 },
  ArrowRight: { x: step, y: 0 },
  ArrowUp: { x: 0, y: -step },
  ArrowDown: { x: 0, y: step },
};

/** A drag under way: from where, and where the pointer is. */
interface Drag extends Place {
  readonly node: DrawnNode;
  readonly begunAt: Place;
  readonly isMoved: boolean;
}

/** The drawing. A drag from node to node links them, a drag to elsewhere moves the node; keys and clicks do the same. */
export function PatternCanvas({
  state,
  width,
}: {
  readonly state: PageState;
  readonly width: number;
}): JSX.Element {
  const { pattern } = state;
  const drawing = pattern.drawing.value;
  const size = { width, height: width < 560 ? 300 : 340 };
  const svg = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<Drag>();
  /** A drag ends with a click as well, which is no choice. */
  const wasDragged = useRef(false);

  const placeOf = (event: PointerEvent): Place => {
    const box = svg.current?.getBoundingClientRect();
    return { x: event.clientX - (box?.left ?? 0), y: event.clientY - (box?.top ?? 0) };
  };
  const nodeAt = ({ x, y }: Place): DrawnNode | undefined =>
    drawing.nodes.find((node) => {
      const place = pixels(node, size);
      return Math.hypot(place.x - x, place.y - y) <= reach;
    });
  const link = (from: number, to: number): void => {
    const next = addLink(drawing, from, to);
    pattern.change(next, lastId(next));
  };
  const choose = (id: number): void => {
    const from = pattern.linkFrom.peek();
    if (from === undefined) pattern.selected.value = id;
    else link(from, id);
  };
  const move = (event: PointerEvent): void => {
    if (drag === undefined) return;
    const place = placeOf(event);
    const isFar = Math.hypot(place.x - drag.begunAt.x, place.y - drag.begunAt.y) > slack;
    setDrag({ ...drag, ...place, isMoved: drag.isMoved || isFar });
  };
  const drop = (): void => {
    setDrag(undefined);
    if (drag === undefined || !drag.isMoved) return;
    wasDragged.current = true;
    const target = nodeAt(drag);
    const { id } = drag.node;
    if (target !== undefined && target.id !== id) link(id, target.id);
    else if (target === undefined)
      pattern.change(moveNode(drawing, id, { x: drag.x / size.width, y: drag.y / size.height }), id);
  };
  const target = drag?.isMoved === true ? nodeAt(drag) : undefined;
  return (
    <section class="canvas" aria-label="The variables and their links">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: its parts are buttons with names; a title would lie over them. */}
      <svg ref={svg} class="graph drawing" width={size.width} height={size.height}>
        <defs>
          <marker
            id="link-head"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path class="arrow-head" d="M0 0.5 8 4 0 7.5Z" />
          </marker>
        </defs>
        {placeLinks(drawing, size).map((placed) => (
          <LinkButton key={placed.link.id} placed={placed} state={state} />
        ))}
        {drag?.isMoved === true ? <DragLine drag={drag} from={pixels(drag.node, size)} /> : null}
        {drawing.nodes.map((node) => (
          <NodeButton
            key={node.id}
            node={node}
            place={pixels(node, size)}
            state={state}
            isTarget={target === node && target.id !== drag?.node.id}
            onChoose={() => {
              if (!wasDragged.current) choose(node.id);
              wasDragged.current = false;
            }}
            onPointerDown={(event) => {
              if (event.button !== 0) return;
              wasDragged.current = false;
              (event.currentTarget as Element).setPointerCapture(event.pointerId);
              const place = placeOf(event);
              setDrag({ node, begunAt: place, ...place, isMoved: false });
            }}
            onPointerMove={move}
            onPointerUp={drop}
            onPointerCancel={() => setDrag(undefined)}
          />
        ))}
      </svg>
    </section>
  );
}

function DragLine({ drag, from }: { readonly drag: Drag; readonly from: Place }): JSX.Element {
  return <line class="drag-line" x1={from.x} y1={from.y} x2={drag.x} y2={drag.y} />;
}

interface NodeProps {
  readonly node: DrawnNode;
  readonly place: Place;
  readonly state: PageState;
  readonly isTarget: boolean;
  readonly onChoose: () => void;
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
}

function NodeButton({
  node,
  place: { x, y },
  state,
  isTarget,
  onChoose,
  ...pointer
}: NodeProps): JSX.Element {
  const { pattern } = state;
  const { id, is } = node;
  const name = nodeWords(node, state);
  const isVariable = 'variable' in is;
  const isAnswer = pattern.drawing.value.answers.includes(id);
  const kind = isVariable ? (isAnswer ? 'answer variable' : 'variable') : 'entity';
  const isFrom = pattern.linkFrom.value === id;
  const classes = ['node', kind.replace(' variable', ''), ...(isTarget || isFrom ? ['chosen'] : [])];
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button of its own.
    <g
      class={classes.join(' ')}
      role="button"
      tabindex={0}
      aria-label={`${name}, ${kind}`}
      aria-pressed={pattern.selected.value === id}
      data-item={id}
      onClick={onChoose}
      onKeyDown={(event) => {
        const by = steps[event.key];
        if (by !== undefined)
          pattern.change(moveNode(pattern.drawing.peek(), id, { x: node.x + by.x, y: node.y + by.y }), id);
        else if (event.key === 'Enter' || event.key === ' ') onChoose();
        else return;
        event.preventDefault();
      }}
      {...pointer}
    >
      <circle class="node-area" cx={x} cy={y} r={radius + 5} />
      {isAnswer ? <circle class="part-ring" cx={x} cy={y} r={radius} /> : null}
      <circle class="node-circle" cx={x} cy={y} r={isVariable ? radius - 4 : radiusOf(node)} />
      <text
        class={isVariable ? 'node-name' : 'caption-name'}
        x={x}
        y={isVariable ? y + 5 : y + radius + 10}
        text-anchor="middle"
      >
        <CutText shown={cut(name)} full={name} />
      </text>
    </g>
  );
}

function LinkButton({
  placed,
  state,
}: {
  readonly placed: PlacedLink;
  readonly state: PageState;
}): JSX.Element {
  const { link, path, labelX, labelY } = placed;
  const { pattern } = state;
  const label = relationWords(link, state);
  const select = (): void => {
    pattern.linkFrom.value = undefined;
    pattern.selected.value = link.id;
  };
  const isOpen = link.relation === undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button of its own.
    <g
      class={`arrow drawn${link.isNegated ? ' negative' : ''}${isOpen ? ' open' : ''}`}
      role="button"
      tabindex={0}
      aria-label={linkWords(link, pattern.drawing.value, state)}
      aria-pressed={pattern.selected.value === link.id}
      data-item={link.id}
      onClick={select}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        select();
      }}
    >
      <path class="drawn-area" d={path} />
      <path d={path} marker-end={link.relation === 'same' ? undefined : 'url(#link-head)'} />
      <text class="arrow-label" x={labelX} y={labelY + 4} text-anchor="middle">
        <CutText shown={cut(label)} full={label} />
      </text>
    </g>
  );
}

const cut = (name: string): string => fitText(name, longest, ({ length }) => length);
