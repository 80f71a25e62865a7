/** What waits, the best first. */
export interface BestFirst<Item> {
  add(item: Item): void;
  /** The best; undefined where nothing waits. */
  readonly best: Item | undefined;
  /** Takes the best out. */
  take(): Item | undefined;
}

/** A heap of items; `isBefore` is to tell any two of them apart, so that the order is always the same. */
export function createBestFirst<Item>(isBefore: (a: Item, b: Item) => boolean): BestFirst<Item> {
  const items: Item[] = [];
  return {
    get best() {
      return items[0];
    },
    add(item) {
      let at = items.push(item) - 1;
      for (let above = (at - 1) >> 1; at > 0 && isBefore(item, items[above]!); above = (at - 1) >> 1) {
        items[at] = items[above]!;
        at = above;
      }
      items[at] = item;
    },
    take() {
      const [best] = items;
      const last = items.pop();
      if (last === undefined || items.length === 0) return best;
      let at = 0;
      for (let below = 1; below < items.length; below = 2 * at + 1) {
        if (below + 1 < items.length && isBefore(items[below + 1]!, items[below]!)) below += 1;
        if (!isBefore(items[below]!, last)) break;
        items[at] = items[below]!;
        at = below;
      }
      items[at] = last;
      return best;
    },
  };
}
