import type { StructureListing } from '@fuzzqe/api';
import type { JSX } from 'preact';
import type { PageState } from '../page-state.ts';

const titles: Readonly<Record<StructureListing['patterns'][number]['kind'], string>> = {
  pair: 'Pairs that share something',
  cycle: 'A cycle of three',
  not: 'Pairs of which one differs',
};

/** Patterns over the facts of the graph. */
export function PatternExamples({ state }: { readonly state: PageState }): JSX.Element | null {
  const { patterns } = state.examples;
  if (patterns.length === 0) return null;
  return (
    <section class="examples" aria-labelledby="pattern-examples-title">
      <h2 id="pattern-examples-title">Begin with an example</h2>
      <ul>
        {patterns.map(({ kind, text }) => (
          <li key={kind}>
            <button type="button" class="example" onClick={() => state.pattern.begin(text)}>
              <span class="example-sentence">{titles[kind]}</span>
              <span class="mono small soft">{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
