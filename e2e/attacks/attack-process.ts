/** Runs one attack and sends its outcome to the parent: `attack-process.ts NAME {url, token, target}`. */
import { reportFlood } from "./attacks/report-flood.ts";
import type { Attack, Attacked } from "./attack.ts";
import { constants, setPriority } from "node:os";
import { blankLines } from "./attacks/blank-lines.ts";
import { inflatingReports } from "./attacks/inflating-reports.ts";
import { manualChecks } from "./attacks/manual-checks.ts";
import { mountNames } from "./attacks/mount-names.ts";
import { patterns } from "./attacks/patterns.ts";
import { slowBodies } from "./attacks/slow-bodies.ts";
import { subscriptions } from "./attacks/subscriptions.ts";
import { streams } from "./attacks/streams.ts";

const attacks = {
  "slow-bodies": slowBodies,
  patterns,
  "inflating-reports": inflatingReports,
  "mount-names": mountNames,
  "report-flood": reportFlood,
  "manual-checks": manualChecks,
  streams,
  "blank-lines": blankLines,
  subscriptions,
} satisfies Record<string, Attack>;
export type AttackName = keyof typeof attacks;
export const attackNames = Object.keys(attacks) as AttackName[];

if (import.meta.main) {
  // A real attacker uses another machine, so this process yields the CPU to Sonde.
  setPriority(constants.priority.PRIORITY_LOW);
  const [name, attacked] = process.argv.slice(2);
  const outcome = await attacks[name as AttackName](JSON.parse(attacked ?? "{}") as Attacked);
  process.send?.(typeof outcome === "string" ? { responses: outcome, passed: true } : outcome, () => process.exit(0));
}
