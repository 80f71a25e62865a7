import type { JSX } from 'preact';
import { stateMeanings, states, stateWords } from '../../ask/state-words.ts';

/** What the marks of answers mean. */
export function Legend(): JSX.Element {
  return (
    <dl class="legend small">
      {states.map((each) => (
        <div key={each}>
          <dt>
            <span class={`mark ${each}`} aria-hidden="true" /> {stateWords[each]}
          </dt>
          <dd class="soft">{stateMeanings[each]}</dd>
        </div>
      ))}
    </dl>
  );
}
