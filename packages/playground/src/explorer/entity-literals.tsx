import type { EntityDescription } from '@fuzzqe/engine';
import type { JSX } from 'preact';

/** So many further names are shown. */
const most = 12;

/** Further names of an entity, and its numbers, dates, booleans and texts. */
export function EntityLiterals({ page }: { readonly page: EntityDescription }): JSX.Element {
  const { names, attributes } = page;
  const called = [
    ...new Set(names?.results.flatMap(({ kind, text }) => (kind === 'description' ? [] : [text])) ?? []),
  ];
  const left = (attributes?.total ?? 0) - (attributes?.results.length ?? 0);
  return (
    <>
      {called.length === 0 ? null : (
        <p class="small">
          Also called {called.slice(0, most).join(', ')}
          {called.length > most ? ', …' : ''}
        </p>
      )}
      {attributes === undefined ? null : (
        <dl class="small entity-attributes" aria-label="Attributes">
          {attributes.results.map(({ key, label, type, language, unit, value }, i) => (
            <div key={`${i} ${key}`}>
              <dt class="soft">{label}</dt>
              <dd lang={language === '' ? undefined : language}>
                {value}
                {type === 'number' && unit !== '' ? ` ${unit.replace(/^.*[/#]/, '')}` : null}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {left > 0 ? <p class="soft small">and {left} more attributes</p> : null}
    </>
  );
}
