import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import { migrations } from "../../migrations/index.ts";
import { decideWaiting, escalate } from "../on-call/escalate.ts";
import { handOff } from "../on-call/handoffs.ts";

/** Takes the steps and handoffs of the schema SCHEMA until it is killed. */
const db = await openDatabase({
  url: process.env["DATABASE_URL"] ?? "",
  schema: process.env["SCHEMA"] ?? "",
  migrations,
  log: silentLog,
  camelCase: true,
});
const deps = {
  db,
  clock: systemClock,
  log: silentLog,
  due: () => {},
  people: async () => new Map(),
  readerOf: () => "people" as const,
  maintenance: { at: () => undefined, silencedUntil: () => undefined },
};
for (;;) {
  const taken = (await decideWaiting(deps)) + (await escalate(deps)) + (await handOff(deps));
  if (taken === 0) await new Promise((go) => setTimeout(go, 10));
}
