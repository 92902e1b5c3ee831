import type { Database } from "@sonde/kit/postgres/database";
import { acknowledge } from "./acknowledge.ts";
import { type IncidentChange, runsOf } from "./change.ts";
import { close } from "./close.ts";
import { deciding, type DecisionContext } from "./deciding.ts";
import { flap } from "./flap.ts";
import { open } from "./open.ts";

/**
 * Applies changes of incidents in order and decides which channels to notify, in one transaction. Changes applied
 * before have no effect. Returns how many were new.
 */
export async function applyChanges(deps: DecisionContext, changes: readonly IncidentChange[]): Promise<number> {
  let fresh = 0;
  await deciding(deps.db, async (trx) => {
    fresh = 0;
    for (const run of runsOf(changes)) fresh += await applyRun(trx, deps, run);
  });
  if (fresh > 0) deps.due();
  return fresh;
}

function applyRun(trx: Database, deps: DecisionContext, run: readonly IncidentChange[]): Promise<number> {
  const name = run[0]?.name;
  switch (name) {
    case "opened":
      return open(trx, deps, run);
    case "closed":
      return close(trx, deps, run);
    case "acknowledged":
      return acknowledge(trx, run);
    case "flapping":
    case "steady":
      return flap(trx, deps, name, run);
    case undefined:
      return Promise.resolve(0);
  }
}
