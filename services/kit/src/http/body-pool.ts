import { AppError, unavailable } from "../errors.ts";

/** Bounds what all bodies of one kind cost together while they are read and until they are dealt with. */
export type BodyPool = {
  /**
   * A place for one body of this owner (a key, an address). Where there is none, the oldest unfinished body of whoever
   * holds most of them is turned out: a sender that is quick always gets in, however many are slow.
   * @throws AppError `too_many` where this owner's places all hold whole bodies, `unavailable` where all places do
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
  /** Bodies of one owner, whole or not, and their bytes: beyond them that owner alone is refused. */
  maxBodiesOfOwner: number;
  maxBytesOfOwner: number;
};

/** Soon enough that an agent which is refused once is not taken for offline. */
const retryAfterSeconds = 2;
const tooMany = () => new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds });

type Held = BodyPlace & { owner: string; bytes: number; unfinished: boolean };

export function createBodyPool(limits: BodyPoolLimits): BodyPool {
  const held = new Set<Held>();
  /** By owner, oldest first. */
  const unfinished = new Map<string, Set<Held>>();
  const owners = new Map<string, { bodies: number; bytes: number }>();
  let unfinishedCount = 0;
  let bytes = 0;

  const add = (owner: string, moreBodies: number, moreBytes: number) => {
    const own = owners.get(owner) ?? { bodies: 0, bytes: 0 };
    own.bodies += moreBodies;
    own.bytes += moreBytes;
    bytes += moreBytes;
    if (own.bodies === 0) owners.delete(owner);
    else owners.set(owner, own);
  };

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
    add(place.owner, -1, -place.bytes);
  };
  const turnOut = (place: Held) => {
    leave(place);
    place.onTurnedOut(tooMany());
  };
  const oldestOf = (owner: string): Held | undefined => unfinished.get(owner)?.values().next().value;
  /** The oldest unfinished body of whoever holds most of them. */
  const slowest = (): Held | undefined => {
    let most: Set<Held> | undefined;
    for (const places of unfinished.values()) if (places.size > (most?.size ?? 0)) most = places;
    return most?.values().next().value;
  };
  const turnOutUntil = (hasRoom: () => boolean, next: () => Held | undefined, refusal: () => AppError) => {
    while (!hasRoom()) {
      const place = next();
      if (place === undefined) throw refusal();
      turnOut(place);
    }
  };
  /** First within the owner's own bounds, at its own cost; then within those of all. */
  const makeRoom = (owner: string, hasOwnRoom: () => boolean, hasRoom: () => boolean) => {
    turnOutUntil(hasOwnRoom, () => oldestOf(owner), tooMany);
    turnOutUntil(hasRoom, slowest, () => unavailable(limits.service));
  };

  return {
    enter(owner) {
      makeRoom(
        owner,
        () =>
          (unfinished.get(owner)?.size ?? 0) < limits.maxUnfinishedOfOwner &&
          (owners.get(owner)?.bodies ?? 0) < limits.maxBodiesOfOwner,
        () => unfinishedCount < limits.maxUnfinished && held.size < limits.maxBodies,
      );
      const place: Held = {
        owner,
        bytes: 0,
        unfinished: true,
        onTurnedOut: () => {},
        grow(more) {
          if (!held.has(place)) throw tooMany();
          // Its own bytes may be what there is too much of: then it is turned out itself.
          const isOut = () => !held.has(place);
          makeRoom(
            owner,
            () => isOut() || (owners.get(owner)?.bytes ?? 0) + more <= limits.maxBytesOfOwner,
            () => isOut() || bytes + more <= limits.maxBytes,
          );
          if (isOut()) return;
          place.bytes += more;
          add(owner, 0, more);
        },
        finish: () => settle(place),
        leave: () => leave(place),
      };
      held.add(place);
      add(owner, 1, 0);
      const places = unfinished.get(owner) ?? new Set();
      unfinished.set(owner, places.add(place));
      unfinishedCount++;
      return place;
    },
    held: () => ({ bodies: held.size, bytes }),
  };
}
