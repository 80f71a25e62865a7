import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { PartMembers } from '../../ask/asking.ts';
import type { Question } from '../../question/question.ts';
import { relationOf } from '../../question/to-query.ts';
import { nameOfPart } from '../name-of-part.ts';
import type { PageState } from '../page-state.ts';
import { createTextMeasure, fitText } from './caption-text.ts';
import {
  type Direction,
  layoutGraph,
  type PartSize,
  type PlacedArrow,
  type PlacedPart,
} from './layout-graph.ts';

const sizes: Readonly<Record<Direction, PartSize>> = {
  right: { width: 148, height: 112, radius: 15 },
  down: { width: 154, height: 74, radius: 15 },
};

/** How far a graph is made smaller to fit; what is wider then scrolls. */
const leastScale = 0.75;

/** How many of the best entities a caption lists. */
const listed = 3;

const glyphs: Partial<Readonly<Record<Question['kind'], string>>> = {
  and: '∧',
  or: '∨',
  not: '¬',
  hole: '+',
};

let measureText: ReturnType<typeof createTextMeasure> | undefined;
const measureIn = (font: string) => {
  measureText ??= createTextMeasure();
  const measure = measureText;
  return (text: string): number => measure(text, font);
};
const face = 'system-ui, sans-serif';

/** The dependency graph of the question, each part a button with its best entities. */
export function DependencyGraph({
  state,
  width,
}: {
  readonly state: PageState;
  readonly width: number;
}): JSX.Element {
  const direction: Direction = width < 560 ? 'down' : 'right';
  const question = state.question.value;
  const size = sizes[direction];
  const labelOf = (part: Question): string =>
    part.kind === 'hop'
      ? part.relation === undefined
        ? 'which relation?'
        : state.relationLabel(relationOf(part) ?? part.relation)
      : '';
  const placed = useMemo(
    () =>
      layoutGraph(question, {
        ...{ direction, size, labelOf },
        // Down, letters are not made smaller: the parts are not, either.
        room: direction === 'down' ? width : width / leastScale,
        measure: measureIn(`12.5px ${face}`),
      }),
    [question, direction, width],
  );
  const scale = Math.min(1, Math.max(width / placed.width, leastScale));
  const { members } = state.findings.value;
  return (
    // Where it scrolls, keys have to scroll it.
    <section
      class="canvas"
      aria-label="The question as a graph: anchors first, the target last"
      {...(placed.width * scale > width ? { tabIndex: 0 } : {})}
    >
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: its parts are buttons with names; a title would lie over them. */}
      <svg
        class="graph"
        width={placed.width * scale}
        height={placed.height * scale}
        viewBox={`0 0 ${placed.width} ${placed.height}`}
      >
        <defs>
          <marker
            id="arrow-head"
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
        {placed.parts.map((each) => (
          <PartButton
            key={each.part.key}
            placed={each}
            state={state}
            size={size}
            direction={direction}
            // A negation shows what it excludes: nearly everything else answers it.
            members={members.get(each.part.kind === 'not' ? each.part.of.key : each.part.key)}
          />
        ))}
        {placed.arrows.map((arrow) => (
          <Arrow
            key={`${arrow.from} ${arrow.to}`}
            arrow={arrow}
            isOpen={arrow.fullLabel === 'which relation?'}
            anchor={direction === 'right' ? 'middle' : 'start'}
          />
        ))}
      </svg>
    </section>
  );
}

function Arrow({
  arrow,
  isOpen,
  anchor,
}: {
  readonly arrow: PlacedArrow;
  readonly isOpen: boolean;
  readonly anchor: 'middle' | 'start';
}): JSX.Element {
  const { path, label, fullLabel, labelX, labelY, negative } = arrow;
  return (
    <g class={`arrow${negative ? ' negative' : ''}${isOpen ? ' open' : ''}`}>
      <path d={path} marker-end="url(#arrow-head)" />
      {label === '' ? null : (
        <text class="arrow-label" x={labelX} y={labelY} text-anchor={anchor}>
          <CutText shown={label} full={fullLabel} />
        </text>
      )}
    </g>
  );
}

interface PartProps {
  readonly placed: PlacedPart;
  readonly state: PageState;
  readonly size: PartSize;
  readonly direction: Direction;
  readonly members: PartMembers | undefined;
}

function PartButton({ placed, state, size, direction, members }: PartProps): JSX.Element {
  const { part, x, y, left, top } = placed;
  const isTarget = part.key === state.question.value.key;
  const isSelected = part.key === state.selectedPart.value.key;
  const isOpen = part.kind === 'hole' || (part.kind === 'anchor' && part.entity === undefined);
  const select = (): void => {
    state.selected.value = part.key;
  };
  const glyph = isOpen ? '+' : (glyphs[part.kind] ?? (isTarget && part.kind === 'hop' ? '?' : ''));
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no button of its own.
    <g
      class={`part ${part.kind}${isOpen ? ' open' : ''}${isTarget ? ' target' : ''}`}
      role="button"
      // SVG takes names of attributes as they are written: `tabIndex` is none of its own.
      tabindex={0}
      aria-pressed={isSelected}
      data-part={part.key}
      onClick={select}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        select();
      }}
    >
      <text class="part-spoken" x={x} y={y}>
        {isTarget ? 'Target: ' : ''}
        {nameOfPart(part, state)}
      </text>
      <rect class="part-area" x={left} y={top} width={size.width} height={size.height} rx="8" />
      {isTarget ? <circle class="part-ring" cx={x} cy={y} r={size.radius + 4} /> : null}
      <circle
        class="part-circle"
        cx={x}
        cy={y}
        r={part.kind === 'anchor' && !isOpen ? size.radius - 5 : size.radius}
      />
      {glyph === '' ? null : (
        <text class="part-glyph" x={x} y={y + 5} text-anchor="middle">
          {glyph}
        </text>
      )}
      <Caption {...{ placed, state, size, direction, members, isOpen }} />
    </g>
  );
}

function Caption({
  placed,
  state,
  size,
  direction,
  members,
  isOpen,
}: PartProps & { readonly isOpen: boolean }): JSX.Element {
  const { part, x, left, top, y } = placed;
  const isRight = direction === 'right';
  const from = isRight ? left + 10 : x + size.radius + 10;
  const width = isRight ? size.width - 20 : size.width - size.radius * 2 - 26;
  if (isOpen || part.kind === 'anchor') {
    const measure = measureIn(`600 13px ${face}`);
    const name = part.kind === 'anchor' && part.entity !== undefined ? state.labelOf(part.entity) : 'pick';
    return (
      <text
        class="caption-name"
        x={isRight ? x : from}
        y={isRight ? y + size.radius + 20 : y + 5}
        text-anchor={isRight ? 'middle' : 'start'}
      >
        <CutText shown={fitText(name, isRight ? width + 12 : width, measure)} full={name} />
      </text>
    );
  }
  const measure = measureIn(`12px ${face}`);
  const first = isRight ? y + size.radius + 18 : top + 16;
  return (
    <g class="caption">
      {part.kind === 'not' ? (
        <text class="caption-text excluded" x={from} y={first}>
          excludes
        </text>
      ) : null}
      {(members ?? []).slice(0, part.kind === 'not' ? 2 : listed).map(({ id, label, degree, known }, i) => {
        const line = first + (part.kind === 'not' ? i + 1 : i) * 20;
        return (
          <g key={id}>
            <rect class="caption-track" x={from} y={line + 4} width={width} height="2" rx="1" />
            <rect
              class={`caption-bar ${known ? 'recorded' : 'predicted'}`}
              x={from}
              y={line + 4}
              width={Math.max(width * degree, 1)}
              height="2"
              rx="1"
            />
            <text class="caption-text" x={from} y={line}>
              <CutText shown={fitText(label, width - 34, measure)} full={label} />
            </text>
            <text class="caption-text caption-degree" x={from + width} y={line} text-anchor="end">
              {showDegree(degree)}
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** A name as far as there is room for it; where it is cut, the pointer shows all of it. */
export function CutText({ shown, full }: { readonly shown: string; readonly full: string }): JSX.Element {
  return (
    <>
      {shown === full ? null : <title>{full}</title>}
      {shown}
    </>
  );
}

/** A degree with as many digits as tell it from 0 and 1. */
export function showDegree(degree: number): string {
  if (degree >= 0.9995 || degree === 0) return degree.toFixed(2);
  return degree < 0.005 ? '<.01' : degree > 0.995 ? '.99+' : degree.toFixed(2).replace(/^0/, '');
}
