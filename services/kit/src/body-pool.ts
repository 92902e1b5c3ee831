import { AppError, unavailable } from "./errors.ts";

/** Bounds what all bodies of one kind cost together while they are read and until they are dealt with. */
export type BodyPool = {
  /**
   * A place for one body of this owner (a key, an address). Where there is none, the oldest unfinished body of whoever
   * holds most of them is turned out: a sender that is quick always gets in, however many are slow.
   * @throws AppError `unavailable` where every place holds a whole body
   */
  enter(owner: string): BodyPlace;
  /** Bodies that hold a place now, and their bytes. */
  held(): { bodies: number; bytes: number };
};

export type BodyPlace = {
  /** So many more bytes came. @throws AppError `unavailable`, `too_many` */
  grow(bytes: number): void;
  /** The body is whole; nobody turns it out any more. */
  finish(): void;
  /** Gives the place back; again it does nothing. */
  leave(): void;
  /** Hears that this body has to go. */
  onTurnedOut: (error: AppError) => void;
};

export type BodyPoolLimits = {
  /** Its name in the error that a person may read. */
  service: string;
  maxBodies: number;
  maxBytes: number;
  /** Bodies that are not whole yet, of all and of one owner. */
  maxUnfinished: number;
  maxUnfinishedOfOwner: number;
};

type Held = BodyPlace & { owner: string; bytes: number; unfinished: boolean };

export function createBodyPool(limits: BodyPoolLimits): BodyPool {
  const held = new Set<Held>();
  /** By owner, oldest first. */
  const unfinished = new Map<string, Set<Held>>();
  let unfinishedCount = 0;
  let bytes = 0;

  const settle = (place: Held) => {
    if (!place.unfinished) return;
    place.unfinished = false;
    unfinishedCount--;
    const others = unfinished.get(place.owner);
    others?.delete(place);
    if (others?.size === 0) unfinished.delete(place.owner);
  };
  const leave = (place: Held) => {
    if (!held.delete(place)) return;
    settle(place);
    bytes -= place.bytes;
  };
  const turnOut = (place: Held) => {
    leave(place);
    place.onTurnedOut(new AppError("too_many", "Too many requests, please try again later"));
  };
  /** The oldest unfinished body of whoever holds most of them. */
  const slowest = (): Held | undefined => {
    let most: Set<Held> | undefined;
    for (const places of unfinished.values()) if (places.size > (most?.size ?? 0)) most = places;
    return most?.values().next().value;
  };
  const makeRoom = (hasRoom: () => boolean) => {
    while (!hasRoom()) {
      const place = slowest();
      if (place === undefined) throw unavailable(limits.service);
      turnOut(place);
    }
  };

  return {
    enter(owner) {
      const own = unfinished.get(owner);
      if (own !== undefined && own.size >= limits.maxUnfinishedOfOwner) turnOut(own.values().next().value as Held);
      makeRoom(() => unfinishedCount < limits.maxUnfinished && held.size < limits.maxBodies);
      const place: Held = {
        owner,
        bytes: 0,
        unfinished: true,
        onTurnedOut: () => {},
        grow(more) {
          if (!held.has(place)) throw new AppError("too_many", "Too many requests, please try again later");
          // Its own bytes may be what there is too much of: then it is turned out itself.
          makeRoom(() => bytes + more <= limits.maxBytes || !held.has(place));
          if (!held.has(place)) return;
          place.bytes += more;
          bytes += more;
        },
        finish: () => settle(place),
        leave: () => leave(place),
      };
      held.add(place);
      const places = unfinished.get(owner) ?? new Set();
      unfinished.set(owner, places.add(place));
      unfinishedCount++;
      return place;
    },
    held: () => ({ bodies: held.size, bytes }),
  };
}
