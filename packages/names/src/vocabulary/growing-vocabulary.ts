import { FuzzError, inverseSuffix, type NameEntry, type NameKind, type Vocabulary } from '@fuzzqe/core';
import { type ChangedAttributes, createChangedAttributes } from './changed-attributes.ts';
import { createLayeredNames, type NamedEntity } from './layered-names.ts';
import { partsOf, vocabularyOf } from './vocabulary-of.ts';

/** Names that are new or others than before, by their keys. */
export interface NameChanges {
  readonly entities?: readonly NamedEntity[];
  /** Forward relations. */
  readonly relations?: readonly NameEntry[];
}

/** A vocabulary that grows: ids stay, and new entities and relations get the ids behind them. */
export interface GrowingVocabulary extends Vocabulary {
  /** The literals that changed, by id. */
  readonly changedAttributes: Omit<ChangedAttributes, 'put'>;
  /** How many entities and relations there would be with some changes, inverses included. Throws: as `put`. */
  countsWith(changes: NameChanges): Pick<Vocabulary, 'entityCount' | 'relationCount'>;
  /**
   * Makes changes, for all who have the vocabulary.
   *
   * @throws FuzzError `data`: an empty key, label or further name, a key given twice, a relation whose key ends in `^-1`; then nothing changes.
   */
  put(changes: NameChanges): void;
}

/**
 * A vocabulary over another, whose names can change.
 *
 * @throws FuzzError `usage`: a vocabulary that `createVocabulary` did not make.
 * @example
 * const growing = growingVocabulary(vocabulary);
 * growing.put({ entities: [{ key: 'Q40', label: 'Austria' }] });
 * growing.findEntity('Austria'); // 2
 */
export function growingVocabulary(base: Vocabulary): GrowingVocabulary {
  const parts = partsOf(base);
  if (parts === undefined)
    throw new FuzzError(
      'usage',
      'growingVocabulary: expected a vocabulary of createVocabulary, got another',
      {
        hint: 'Give the vocabulary of a bundle or a data set.',
      },
    );
  const entities = createLayeredNames('entity', parts.entities, parts.aliases);
  const relations = createLayeredNames('relation', parts.relations);
  const vocabulary = vocabularyOf({ ...parts, entities, relations, aliases: entities.aliases });
  const changedAttributes = createChangedAttributes();
  const newOf = ({ index }: Pick<typeof entities, 'index'>, of: readonly NamedEntity[] = []): number =>
    of.filter(({ key }) => index.ofKey(key) === undefined).length;
  return Object.assign(vocabulary, {
    changedAttributes,
    countsWith(changes: NameChanges) {
      checkChanges(changes);
      return {
        entityCount: entities.count + newOf(entities, changes.entities),
        relationCount: 2 * (relations.count + newOf(relations, changes.relations)),
      };
    },
    put(changes: NameChanges) {
      checkChanges(changes);
      const { entities: changed = [] } = changes;
      const places = entities.put(changed);
      for (const [i, { attributes }] of changed.entries())
        if (attributes !== undefined) changedAttributes.put(places[i]!, attributes);
      relations.put(changes.relations ?? []);
    },
  });
}

function checkChanges(changes: NameChanges): void {
  checkEntries('entity', changes.entities);
  checkEntries('relation', changes.relations);
}

function checkEntries(kind: NameKind, entries: readonly NamedEntity[] = []): void {
  const keys = new Set<string>();
  for (const [i, { key, label, aliases }] of entries.entries()) {
    const path = `${kind}[${i}]`;
    const bad = (message: string, hint: string): never => {
      throw new FuzzError('data', `${kind} ${JSON.stringify(key)}: ${message}`, { path, hint });
    };
    if (key === '' || label === '' || aliases?.some(({ text }) => text === ''))
      bad('expected a key, a label and further names with characters, got an empty one', 'Leave it out.');
    if (keys.has(key)) bad('expected a key once, got it twice', 'Give all names of a key together.');
    if (kind === 'relation' && key.endsWith(inverseSuffix))
      bad(
        `expected a key that does not end in ${inverseSuffix}, which is of inverses`,
        'Name the relation forwards.',
      );
    keys.add(key);
  }
}
