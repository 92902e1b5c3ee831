import { AppError, unavailable } from "../errors.ts";

export type BodyReservation = {
  /** @throws AppError `unavailable`, `too_many` */
  grow(bytes: number): void;
  /** A complete body can no longer be dropped. */
  finish(): void;
  /** Idempotent. */
  leave(): void;
  onDropped: (error: AppError) => void;
};

export type BodyPoolLimits = {
  /** Display name for errors. */
  service: string;
  maxBodies: number;
  maxBytes: number;
  maxUnfinished: number;
  maxUnfinishedOfOwner: number;
  /** Above these, only that owner is refused. */
  maxBodiesOfOwner: number;
  maxBytesOfOwner: number;
};

/** Short enough that a refused agent does not become offline. */
const retryAfterSeconds = 2;
const tooMany = () => new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds });

type OwnedReservation = BodyReservation & { owner: string; bytes: number; unfinished: boolean };

/** Limits the memory of bodies of a kind while they are received and processed. */
export function createBodyPool(limits: BodyPoolLimits) {
  const reserved = new Set<OwnedReservation>();
  /** By owner, oldest first. */
  const unfinished = new Map<string, Set<OwnedReservation>>();
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

  const settle = (reservation: OwnedReservation) => {
    if (!reservation.unfinished) return;
    reservation.unfinished = false;
    unfinishedCount--;
    const others = unfinished.get(reservation.owner);
    others?.delete(reservation);
    if (others?.size === 0) unfinished.delete(reservation.owner);
  };
  const leave = (reservation: OwnedReservation) => {
    if (!reserved.delete(reservation)) return;
    settle(reservation);
    add(reservation.owner, -1, -reservation.bytes);
  };
  const dropBody = (reservation: OwnedReservation) => {
    leave(reservation);
    reservation.onDropped(tooMany());
  };
  const oldestOf = (owner: string): OwnedReservation | undefined => unfinished.get(owner)?.values().next().value;
  const slowest = (): OwnedReservation | undefined => {
    let most: Set<OwnedReservation> | undefined;
    for (const reservations of unfinished.values()) if (reservations.size > (most?.size ?? 0)) most = reservations;
    return most?.values().next().value;
  };
  const dropUntil = (hasRoom: () => boolean, next: () => OwnedReservation | undefined, refusal: () => AppError) => {
    while (!hasRoom()) {
      const reservation = next();
      if (reservation === undefined) throw refusal();
      dropBody(reservation);
    }
  };
  /** Applies the owner's limits first, then the pool's. */
  const makeRoom = (owner: string, hasOwnRoom: () => boolean, hasRoom: () => boolean) => {
    dropUntil(hasOwnRoom, () => oldestOf(owner), tooMany);
    dropUntil(hasRoom, slowest, () => unavailable(limits.service));
  };

  return {
    /**
     * `owner` is a key or an address. If the pool is full, the oldest incomplete body of the owner with the most is
     * dropped, so slow senders cannot block fast ones.
     * @throws AppError `too_many` if all reservations of this owner are complete bodies, `unavailable` if all of the
     * pool are
     */
    enter(owner: string): BodyReservation {
      makeRoom(
        owner,
        () =>
          (unfinished.get(owner)?.size ?? 0) < limits.maxUnfinishedOfOwner &&
          (owners.get(owner)?.bodies ?? 0) < limits.maxBodiesOfOwner,
        () => unfinishedCount < limits.maxUnfinished && reserved.size < limits.maxBodies,
      );
      const reservation: OwnedReservation = {
        owner,
        bytes: 0,
        unfinished: true,
        onDropped: () => {},
        grow(more) {
          if (!reserved.has(reservation)) throw tooMany();
          // Making room may drop this very reservation.
          const isOut = () => !reserved.has(reservation);
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
      reserved.add(reservation);
      add(owner, 1, 0);
      const reservations = unfinished.get(owner) ?? new Set();
      unfinished.set(owner, reservations.add(reservation));
      unfinishedCount++;
      return reservation;
    },
    reserved: () => ({ bodies: reserved.size, bytes }),
  };
}

export type BodyPool = ReturnType<typeof createBodyPool>;
