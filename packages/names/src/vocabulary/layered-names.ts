import type { EntityRows, NameEntry, NameKind } from '@fuzzqe/core';
import { nearestNames } from '@fuzzqe/core/text';
import type { Alias } from '../rows/aliases.ts';
import { noEntityRows } from '../rows/entity-rows.ts';
import type { FoundNames, NameSearch } from '../search/search-names.ts';
import type { AttributeChange } from './changed-attributes.ts';
import { namesOf } from './create-vocabulary.ts';
import type { NameIndex } from './name-index.ts';
import type { Names } from './vocabulary-of.ts';

/** What an entity is called, and its literals, from now on; a part that is absent stays as it is. */
export interface NamedEntity {
  readonly key: string;
  /** Null: the label that the entity came with, or else its key, which a new entity has as well. */
  readonly label?: string | null;
  readonly description?: string;
  /** Further names and descriptions; null: those that the entity came with. */
  readonly aliases?: readonly Alias[] | null;
  /** Properties that are not listed keep their values. */
  readonly attributes?: readonly AttributeChange[];
}

/** Names that entries are added to, and entries of which are renamed. */
export interface LayeredNames extends Names {
  readonly aliases: EntityRows;
  /** Appends entries with keys of their own, and renames others. Gives the place of each. */
  put(entries: readonly NamedEntity[]): readonly number[];
}

/** The new and the renamed entries, and what finds them. */
interface Layer extends Pick<Names, 'index' | 'search'> {
  /** The places of the entries among all. */
  readonly places: readonly number[];
}

/**
 * Names over others: new entries come after them, and a renamed entry hides its earlier names.
 *
 * Time: after a change, the first search for a name that is no key indexes all new and renamed entries again.
 */
export function createLayeredNames(
  kind: NameKind,
  base: Names,
  aliases: EntityRows = noEntityRows,
): LayeredNames {
  /** The new and the renamed entries, by place. */
  const own = new Map<number, NameEntry>();
  const ownAliases = new Map<number, readonly (readonly string[])[]>();
  const ownPlaces = new Map<string, number>();
  let count = base.count;
  let layer: Layer | undefined;
  const furtherOf = (place: number): readonly (readonly string[])[] =>
    ownAliases.get(place) ?? aliases.of(place);
  const makeLayer = (): Layer => {
    const places = [...own.keys()];
    const further = places.map(furtherOf);
    const names = namesOf(kind, [...own.values()], {
      count: further.reduce((sum, each) => sum + each.length, 0),
      of: (place) => further[place] ?? [],
      texts: () => [],
    });
    return { places, index: names.index, search: names.search };
  };
  const layered = (): Layer => {
    layer ??= makeLayer();
    return layer;
  };
  const at = (place: number): NameEntry => own.get(place) ?? base.at(place);
  const isBase = (place: number): boolean => !own.has(place);
  const index: NameIndex = {
    ofKey: (key) => ownPlaces.get(key) ?? base.index.ofKey(key),
    called(by, name, finishing) {
      const before = base.index.called(by, name, finishing);
      if (own.size === 0) return before;
      const { index: ownIndex, places } = layered();
      const now = ownIndex.called(by, name, finishing).map((each) => places[each]!);
      return [...before.filter(isBase), ...now].sort((a, b) => a - b);
    },
    *prepare() {
      yield* base.index.prepare();
      if (own.size > 0) yield* layered().index.prepare();
    },
  };
  const search: NameSearch = {
    *search(text, page = {}) {
      if (own.size === 0) return yield* base.search.search(text, page);
      const { limit = 10, offset = 0, misspelt } = page;
      const most = {
        limit: offset + limit,
        ...(misspelt === undefined ? {} : { misspelt }),
      };
      const { search: ownSearch, places } = layered();
      const before = yield* base.search.search(text, { ...most, limit: most.limit + own.size });
      const now = yield* ownSearch.search(text, most);
      return joined(withoutHidden(before, isBase), placed(now, places), offset, limit);
    },
    *nearest(name, limit) {
      if (own.size === 0) return yield* base.search.nearest(name, limit);
      const before = yield* base.search.nearest(name, limit, isBase);
      const now = yield* layered().search.nearest(name, limit);
      const both = new Map([...before, ...now].map((match) => [match.name, match] as const));
      return nearestNames(name, [...both.keys()], limit).map((near) => both.get(near)!);
    },
    *prepare() {
      yield* base.search.prepare();
      if (own.size > 0) yield* layered().search.prepare();
    },
  };
  return {
    get count() {
      return count;
    },
    at,
    index,
    search,
    aliases: {
      get count() {
        let more = 0;
        for (const [place, rows] of ownAliases) more += rows.length - aliases.of(place).length;
        return aliases.count + more;
      },
      of: furtherOf,
      texts: () => aliases.texts(),
    },
    put(entries) {
      return entries.map(({ key, label, description, aliases: further }) => {
        const known = index.ofKey(key);
        const place = known ?? count++;
        if (known !== undefined && label === undefined && further === undefined && description === undefined)
          return place;
        const below = place < base.count ? base.at(place) : undefined;
        const before = own.get(place) ?? below;
        const text = description ?? before?.description;
        own.set(place, {
          key,
          label: (label === null ? below?.label : (label ?? before?.label)) ?? key,
          ...(text === undefined ? {} : { description: text }),
        });
        ownPlaces.set(key, place);
        if (further === null) ownAliases.delete(place);
        else if (further !== undefined)
          ownAliases.set(
            place,
            further.map(({ kind, language, text }) => [kind, language, text]),
          );
        layer = undefined;
        return place;
      });
    },
  };
}

function withoutHidden(found: FoundNames, isShown: (place: number) => boolean): FoundNames {
  const shown = found.places.map(isShown);
  const hidden = shown.filter((each) => !each).length;
  return {
    total: found.total - hidden,
    places: found.places.filter((_, i) => shown[i]!),
    orders: found.orders.filter((_, i) => shown[i]!),
  };
}

function placed(found: FoundNames, places: readonly number[]): FoundNames {
  return { ...found, places: found.places.map((place) => places[place]!) };
}

/** A page of what two searches found. */
function joined(one: FoundNames, other: FoundNames, offset: number, limit: number): FoundNames {
  const all = [one, other].flatMap(({ places, orders }) =>
    places.map((place, i) => ({ place, order: orders[i]! })),
  );
  all.sort((a, b) => a.order - b.order || a.place - b.place);
  const page = all.slice(offset, offset + limit);
  return {
    total: one.total + other.total,
    places: page.map(({ place }) => place),
    orders: page.map(({ order }) => order),
  };
}
