import type { Alias, AttributeChange, PropertyValue } from '@fuzzqe/names';
import type { EntityNames } from '../store/entity-names.ts';
import type { FactChange, NewFactBatch } from '../store/fact-store.ts';

/** The time of every batch. */
export const at = '2026-11-28T12:00:00Z';
/** A fact that comes. */
export const fact = (tail: string): FactChange => ({ does: 'add', head: 'Q142', relation: 'P47', tail });
/** The same fact as it goes. */
export const gone = (tail: string): FactChange => ({ ...fact(tail), does: 'remove' });
export const alias = (text: string): Alias => ({ kind: 'alias', language: '', text });
export const value: PropertyValue = { type: 'number', language: '', unit: '', value: '1' };
export const numberOf = (key: string, text: string): AttributeChange => ({
  key,
  values: [{ ...value, value: text }],
});
/** Names with everything that a line has to escape, or that looks like another part of a line. */
export const richNames: EntityNames = {
  key: 'Q142',
  label: 'Fr "a"\n,"changes":[{"does":"\ud800',
  aliases: [{ kind: 'label', language: 'de', text: ']}' }, alias('\\')],
  attributes: [
    { key: 'changes', values: [] },
    { key: 'motto', values: [{ type: 'text', language: 'fr', unit: '', value: '' }] },
    numberOf('area', '1e3'),
    { key: 'founded', values: null },
  ],
};
export const batchOf = (...changes: readonly FactChange[]): NewFactBatch => ({ at, changes });
