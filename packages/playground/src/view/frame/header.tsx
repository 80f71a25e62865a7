import type { JSX } from 'preact';
import icon from '../../style/icon.svg';
import type { AskedPlaces, PageState, Tab } from '../page-state.ts';

const places: Readonly<Record<AskedPlaces, string>> = {
  server: 'Server',
  browser: 'This browser',
  both: 'Both',
};
const allPlaces = Object.keys(places) as AskedPlaces[]; // its own keys

/** What is asked, and who answers. */
export function Header({
  state,
  onModel,
}: {
  readonly state: PageState;
  readonly onModel: (name: string) => void;
}): JSX.Element {
  const { model, models } = state;
  return (
    <header class="page-head">
      <div class="page-title">
        <h1>
          <img class="project-mark" src={icon} alt="" />
          FuzzQE
        </h1>
        {models.length > 1 ? (
          <select
            class="model"
            aria-label="Model"
            value={model.name}
            onChange={(event) => onModel(event.currentTarget.value)}
          >
            {models.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        ) : (
          <span class="model">{model.name}</span>
        )}
        <p class="soft small number">
          {withCommas(model.entities)} entities, {withCommas(model.relations)} relations,{' '}
          {withCommas(model.edges / 2)} facts
        </p>
      </div>
      <p class="pitch">
        Ask a knowledge graph a question: see what its facts answer, what the model predicts, and why.
      </p>
      <div class="page-tools">
        <Tabs state={state} />
        {state.canAskBrowser && state.server !== undefined ? <Places state={state} /> : null}
      </div>
    </header>
  );
}

const tabs: Readonly<Record<Tab, string>> = {
  ask: 'Ask',
  patterns: 'Several variables',
  explore: 'Explore',
};
const allTabs = Object.keys(tabs) as Tab[]; // its own keys

function Tabs({ state }: { readonly state: PageState }): JSX.Element {
  const { tab } = state;
  return (
    <nav class="choices" aria-label="What to do">
      {allTabs.map((each) => (
        <button
          key={each}
          type="button"
          aria-current={tab.value === each ? 'page' : undefined}
          onClick={() => {
            tab.value = each;
          }}
        >
          {tabs[each]}
        </button>
      ))}
    </nav>
  );
}

function Places({ state }: { readonly state: PageState }): JSX.Element {
  return (
    <fieldset class="places">
      <legend class="small soft">Answer on</legend>
      <div class="choices">
        {allPlaces.map((place) => (
          <label key={place}>
            <input
              type="radio"
              name="place"
              value={place}
              checked={state.asked.value === place}
              onChange={() => state.askOf(place)}
            />
            {places[place]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A whole number in groups of three digits; Intl would load the rules of all languages, which takes a phone 0.1 s. */
function withCommas(count: number): string {
  return `${count}`.replace(/\B(?=(\d{3})+$)/g, ',');
}
