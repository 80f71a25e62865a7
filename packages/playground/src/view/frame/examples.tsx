import type { Vocabulary } from '@fuzzqe/core';
import { queryFromBetaE } from '@fuzzqe/core/query';
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type ExampleQuestion, exampleQuestions } from '../../question/examples.ts';
import type { Question } from '../../question/question.ts';
import { questionSentence } from '../../question/question-sentence.ts';
import { fromQuery } from '../../question/to-query.ts';
import { layoutGraph, type PartSize } from '../graph/layout-graph.ts';
import type { PageState } from '../page-state.ts';

const size: PartSize = { width: 12, height: 10, radius: 3 };
const glyphs: Partial<Readonly<Record<string, string>>> = { and: '∧', or: '∨', not: '¬' };

/** A question of each of the paper's structures, as a small picture. */
export function Examples({ state }: { readonly state: PageState }): JSX.Element {
  const { structures } = state.examples;
  const sentences = useSentences(state);
  const tuples = new Map(structures.map(({ name, tuple }) => [name, tuple]));
  return (
    <section class="examples" aria-labelledby="examples-title">
      <h2 id="examples-title">Begin with an example</h2>
      <ul>
        {exampleQuestions(structures).map((example) => (
          <li key={example.structure}>
            <Example
              example={example}
              sentence={sentences.get(example.structure) ?? example.title}
              tuple={tuples.get(example.structure) ?? []}
              onAsk={(question) => state.change(question, question.key)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The examples in words, once the names of their entities have come. */
function useSentences(state: PageState): ReadonlyMap<string, string> {
  const [sentences, setSentences] = useState<ReadonlyMap<string, string>>(new Map());
  const { naming } = state;
  const { structures } = state.examples;
  useEffect(() => {
    const work = (vocabulary: Vocabulary): ReadonlyMap<string, string> =>
      new Map(
        structures.map(({ name, tuple }) => [
          name,
          questionSentence(fromQuery(queryFromBetaE(tuple)), {
            labelOf: (entity) => vocabulary.entity(entity).label,
            dataLabel: state.dataLabel,
          }),
        ]),
      );
    // Without names the titles stay.
    naming.run(work).then(setSentences, () => undefined);
  }, [naming, structures]);
  return sentences;
}

function Example({
  example,
  sentence,
  tuple,
  onAsk,
}: {
  readonly example: ExampleQuestion;
  readonly sentence: string;
  readonly tuple: unknown;
  readonly onAsk: (question: Question) => void;
}): JSX.Element {
  const { structure, title, text } = example;
  const question = useMemo(() => fromQuery(queryFromBetaE(tuple)), [tuple]);
  // Each picture in a task of its own, after the page is there: all of them together would hold a phone up for a second.
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDrawn(true), 0);
    return () => clearTimeout(timer);
  }, []);
  return (
    <button type="button" class="example" title={text} onClick={() => onAsk(question)}>
      {isDrawn ? <Picture question={question} /> : <svg aria-hidden="true" width={0} height={0} />}
      <span class="example-sentence">{sentence.replace(/^./, (first) => first.toUpperCase())}</span>
      <span class="hidden">
        : {title}, {structure}
      </span>
    </button>
  );
}

function Picture({ question }: { readonly question: Question }): JSX.Element {
  const { width, height, parts, arrows } = useMemo(
    () =>
      layoutGraph(question, { direction: 'right', size, spacing: 0.4, labelOf: () => '', measure: () => 0 }),
    [question],
  );
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {arrows.map(({ from, to, path, negative }) => (
        <path key={`${from} ${to}`} class={`arrow-line${negative ? ' negative' : ''}`} d={path} />
      ))}
      {parts.map(({ part, x, y }) => {
        const glyph = glyphs[part.kind];
        return (
          <g key={part.key} class={`mini ${part.kind}${part === question ? ' target' : ''}`}>
            <circle cx={x} cy={y} r={glyph === undefined ? 3.5 : 5} />
            {glyph === undefined ? null : (
              <text class="mini-glyph" x={x} y={y + 3} text-anchor="middle">
                {glyph}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
