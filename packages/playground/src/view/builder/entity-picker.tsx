import type { EntityId } from '@fuzzqe/core';
import type { JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import type { PageState } from '../page-state.ts';
import { Picker, type PickerOptions } from './picker.tsx';

/** How many entities a list shows. */
const shown = 8;

/** A field in which an entity is found by its name. */
export function EntityPicker({
  state,
  onPick,
  focus = false,
  label = 'Pick an entity',
}: {
  readonly state: PageState;
  readonly onPick: (entity: EntityId) => void;
  readonly focus?: boolean;
  readonly label?: string;
}): JSX.Element {
  const find = useCallback(
    async (text: string, signal: AbortSignal): Promise<PickerOptions<EntityId>> => {
      const { total, results } = await state.nameSource().names(text, { limit: shown, signal });
      return {
        more: total - results.length,
        options: results.map(({ id, key, label, description }) => {
          // Listings give ids of the graph that was asked.
          const entity = id as EntityId;
          state.names.remember({ entities: [{ id: entity, key, label }] });
          const detail = description ?? (key === label ? undefined : key);
          return { value: entity, label, ...(detail === undefined ? {} : { detail }) };
        }),
      };
    },
    [state],
  );
  return <Picker label={label} placeholder="Type a name" find={find} onPick={onPick} focus={focus} />;
}
