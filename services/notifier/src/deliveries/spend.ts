import type { Database } from "@sonde/kit/postgres/database";
import type { Budget } from "../channels/channel.ts";
import { roomIn } from "./budget.ts";
import { lockBudgets, saveBudgets } from "./budget-store.ts";

export type OpenBudgets = {
  /** How many requests all budgets allow now. */
  free: number;
  /** If none is permitted: the delay until one is. */
  waitMs: number;
  /** Counts requests as made now. */
  spend(requests: number): Promise<void>;
};

/** The room within a channel's budgets, by key, locked until the transaction ends. */
export async function openBudgets(
  trx: Database,
  budgets: ReadonlyMap<string, Budget>,
  nowMs: number,
): Promise<OpenBudgets> {
  if (budgets.size === 0) return { free: Number.POSITIVE_INFINITY, waitMs: 0, spend: async () => {} };
  const known = await lockBudgets(trx, [...budgets.keys()]);
  const rooms = [...budgets].map(([key, budget]) => {
    const spent = known.get(key) ?? { spentAtMs: [], blockedUntilMs: 0 };
    return { key, ...roomIn(budget, spent, nowMs) };
  });
  return {
    free: Math.min(...rooms.map(({ free }) => free)),
    waitMs: Math.max(...rooms.map(({ waitMs }) => waitMs)),
    spend: (requests) => {
      const made = Array.from({ length: requests }, () => nowMs);
      return saveBudgets(
        trx,
        new Map(rooms.map(({ key, spentAtMs }) => [key, { spentAtMs: [...spentAtMs, ...made] }])),
      );
    },
  };
}
