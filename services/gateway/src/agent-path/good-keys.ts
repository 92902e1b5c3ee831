import { hash } from "node:crypto";

/** Remembers keys by which a report was taken lately, as hashes, so that their reports come before strangers'. */
export type GoodKeys = {
  /** A key's own mark in pools and here. */
  markOf(authorization: string): string;
  isGood(mark: string): boolean;
  /** What became of a report: whether the key was accepted, or refused. */
  heard(mark: string, status: number): void;
};

/** Beyond so many the one that was heard longest ago is forgotten; it counts as a stranger once. */
const mostKeys = 50_000;

export function createGoodKeys(most = mostKeys): GoodKeys {
  const good = new Set<string>();
  return {
    markOf: (authorization) => hash("sha256", authorization, "base64"),
    isGood: (mark) => good.has(mark),
    heard(mark, status) {
      if (status === 401) return void good.delete(mark);
      if (status >= 300) return;
      // Sets keep the order of insertion: the newest goes to the end.
      good.delete(mark);
      good.add(mark);
      if (good.size > most) good.delete(good.values().next().value as string);
    },
  };
}
