import type { Clock } from "@sonde/kit/time/clock";

export type UserAccount = { id: number; name: string; email?: string | undefined; isDisabled?: boolean };
/** Users by id: `null` for deleted ones; absent if auth could not be reached and they were never read. */
export type PeopleById = ReadonlyMap<number, UserAccount | null>;
export type People = (ids: readonly number[]) => Promise<PeopleById>;

const freshMs = 60_000;

/** Reads users from auth, at most once a minute each. While auth is unavailable, the last answer counts. */
export function createPeople(
  read: (ids: readonly number[]) => Promise<readonly UserAccount[]>,
  clock: Pick<Clock, "elapsedMs">,
): People {
  const known = new Map<number, { person: UserAccount | null; readAtMs: number }>();
  return async (ids) => {
    const isStale = (id: number) => clock.elapsedMs() - (known.get(id)?.readAtMs ?? -Infinity) >= freshMs;
    const stale = [...new Set(ids)].filter(isStale);
    const answer = stale.length === 0 ? [] : await read(stale).catch(() => null);
    if (answer !== null) {
      const readAtMs = clock.elapsedMs();
      const found = new Map(answer.map((person) => [person.id, person]));
      for (const id of stale) known.set(id, { person: found.get(id) ?? null, readAtMs });
    }
    return new Map(ids.flatMap((id) => (known.has(id) ? [[id, known.get(id)!.person] as const] : [])));
  };
}
