import type { SloInput } from "@sonde/proto/http/slos";

/** Targets are ids of monitors. */
export type SloContent = Omit<SloInput, "name" | "targets"> & { targets?: number[] | undefined };

export type StoredSlo = {
  id: number;
  name: string;
  value: SloContent;
  createdAtMs: number;
  updatedAtMs: number;
  burningUntilMs: number | null;
};

export type SloTarget = { id: number; name: string };

/** Slots of a monitor in a period. `fast` counts successful checks within the limit, if there is one. */
export type Slots = { expected: number; seen: number; up: number; fast: number; activeMinutes: number };
export const noSlots: Slots = { expected: 0, seen: 0, up: 0, fast: 0, activeMinutes: 0 };

/** Adds up without an object for each addition, since a pass makes hundreds of thousands. */
export function sumSlots(all: Iterable<Slots | undefined>): Slots {
  const sum = { ...noSlots };
  for (const slots of all) {
    if (slots === undefined) continue;
    sum.expected += slots.expected;
    sum.seen += slots.seen;
    sum.up += slots.up;
    sum.fast += slots.fast;
    sum.activeMinutes += slots.activeMinutes;
  }
  return sum;
}

/** What an objective measures: slots that were up, or successful checks that were fast. */
export type Objective = { percent: number; isLatency: boolean };

export const objectivesOf = ({ objective, latency }: Pick<SloContent, "objective" | "latency">): Objective[] => [
  { percent: objective, isLatency: false },
  ...(latency === undefined ? [] : [{ percent: latency.percent, isLatency: true }]),
];

export const measured = ({ seen, up, fast }: Slots, { isLatency }: Objective) =>
  isLatency ? { total: up, bad: up - fast } : { total: seen, bad: seen - up };

export const allowedShare = ({ percent }: Objective): number => (100 - percent) / 100;

/** 1 spends exactly the budget; 0 without data. */
export function burnRate(slots: Slots, objective: Objective): number {
  const { total, bad } = measured(slots, objective);
  return total === 0 ? 0 : bad / total / allowedShare(objective);
}
