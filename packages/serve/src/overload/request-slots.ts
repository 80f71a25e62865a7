/** Places for requests under way, of which one that has not come whole gives way to others. */
export interface RequestSlots {
  /** How many are taken. */
  readonly taken: number;
  /** Whether the next request would find one, free or of one that gives way. */
  readonly hasRoom: boolean;
  /**
   * Takes one for a request, whether there is room or not: where there is none but what gives way, that does.
   *
   * @param giveWay Ends the request, whose place is left then.
   */
  take(giveWay: () => void): RequestSlot;
}

/** The place of one request. */
export interface RequestSlot {
  /** Notes that its request has come whole: it gives way to none from now on. */
  whole(): void;
  leave(): void;
}

/** Milliseconds in which a request comes whole, or gives way where there is no room: the way from the other side of the earth. */
const longestComing = 250;

/**
 * A number of places that a client with unfinished requests cannot hold: in want of room, the request that has been coming
 * for longest gives way, once that is more than a quarter of a second. What has come whole is worked on, and keeps its place.
 */
export function createRequestSlots(most: number, now: () => number = () => performance.now()): RequestSlots {
  // In the order in which they began to come.
  const coming = new Set<{ readonly since: number; readonly giveWay: () => void }>();
  let taken = 0;
  const late = (): (() => void) | undefined => {
    const [oldest] = coming;
    return oldest !== undefined && now() - oldest.since > longestComing ? oldest.giveWay : undefined;
  };
  return {
    get taken() {
      return taken;
    },
    get hasRoom() {
      return taken < most || late() !== undefined;
    },
    take(giveWay) {
      if (taken >= most) late()?.();
      const each = { since: now(), giveWay: () => leaveBy(giveWay) };
      let isLeft = false;
      const leave = (): void => {
        if (isLeft) return;
        isLeft = true;
        taken -= 1;
        coming.delete(each);
      };
      const leaveBy = (end: () => void): void => {
        leave();
        end();
      };
      taken += 1;
      coming.add(each);
      return { whole: () => void coming.delete(each), leave };
    },
  };
}
