import { AppError, unavailable } from "../errors.ts";

export type BodyReservation = {
  /** Reserves this many more bytes. @throws AppError `unavailable`, `too_many` */
  grow(bytes: number): void;
  /** The body is complete and can no longer be dropped. */
  finish(): void;
  /** Gives the reservation back; again it does nothing. */
  leave(): void;
  /** Called when this body has to go. */
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

type HeldReservation = BodyReservation & { owner: string; bytes: number; unfinished: boolean };

/** Bounds what all bodies of one kind cost together while they are read and until they are dealt with. */
export function createBodyPool(limits: BodyPoolLimits) {
  const held = new Set<HeldReservation>();
  /** By owner, oldest first. */
  const unfinished = new Map<string, Set<HeldReservation>>();
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

  const settle = (reservation: HeldReservation) => {
    if (!reservation.unfinished) return;
    reservation.unfinished = false;
    unfinishedCount--;
    const others = unfinished.get(reservation.owner);
    others?.delete(reservation);
    if (others?.size === 0) unfinished.delete(reservation.owner);
  };
  const leave = (reservation: HeldReservation) => {
    if (!held.delete(reservation)) return;
    settle(reservation);
    add(reservation.owner, -1, -reservation.bytes);
  };
  const turnOut = (reservation: HeldReservation) => {
    leave(reservation);
    reservation.onTurnedOut(tooMany());
  };
  const oldestOf = (owner: string): HeldReservation | undefined => unfinished.get(owner)?.values().next().value;
  /** The oldest unfinished body of the owner with the most bodies. */
  const slowest = (): HeldReservation | undefined => {
    let most: Set<HeldReservation> | undefined;
    for (const reservations of unfinished.values()) if (reservations.size > (most?.size ?? 0)) most = reservations;
    return most?.values().next().value;
  };
  const turnOutUntil = (hasRoom: () => boolean, next: () => HeldReservation | undefined, refusal: () => AppError) => {
    while (!hasRoom()) {
      const reservation = next();
      if (reservation === undefined) throw refusal();
      turnOut(reservation);
    }
  };
  /** First within the owner's own bounds, at its own cost; then within those of all. */
  const makeRoom = (owner: string, hasOwnRoom: () => boolean, hasRoom: () => boolean) => {
    turnOutUntil(hasOwnRoom, () => oldestOf(owner), tooMany);
    turnOutUntil(hasRoom, slowest, () => unavailable(limits.service));
  };

  return {
    /**
     * A reservation for one body of this owner (a key, an address). If none is free, the oldest unfinished body of the
     * owner with the most is dropped, so slow senders cannot keep out fast ones.
     * @throws AppError `too_many` if all of this owner's reservations are complete bodies, `unavailable` if all of the
     * pool's are
     */
    enter(owner: string): BodyReservation {
      makeRoom(
        owner,
        () =>
          (unfinished.get(owner)?.size ?? 0) < limits.maxUnfinishedOfOwner &&
          (owners.get(owner)?.bodies ?? 0) < limits.maxBodiesOfOwner,
        () => unfinishedCount < limits.maxUnfinished && held.size < limits.maxBodies,
      );
      const reservation: HeldReservation = {
        owner,
        bytes: 0,
        unfinished: true,
        onTurnedOut: () => {},
        grow(more) {
          if (!held.has(reservation)) throw tooMany();
          // Its own bytes may be what there is too much of: then it is turned out itself.
          const isOut = () => !held.has(reservation);
          makeRoom(
            owner,
            () => isOut() || (owners.get(owner)?.bytes ?? 0) + more <= limits.maxBytesOfOwner,
            () => isOut() || bytes + more <= limits.maxBytes,
          );
          if (isOut()) return;
          reservation.bytes += more;
          add(owner, 0, more);
        },
        finish: () => settle(reservation),
        leave: () => leave(reservation),
      };
      held.add(reservation);
      add(owner, 1, 0);
      const reservations = unfinished.get(owner) ?? new Set();
      unfinished.set(owner, reservations.add(reservation));
      unfinishedCount++;
      return reservation;
    },
    /** Bodies that hold a reservation now, and their bytes. */
    held: () => ({ bodies: held.size, bytes }),
  };
}

export type BodyPool = ReturnType<typeof createBodyPool>;
