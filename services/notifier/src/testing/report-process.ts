import { createGuard } from "@sonde/kit/egress/guard";
import { openDatabase } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { systemClock } from "@sonde/kit/time/clock";
import { migrations } from "../../migrations/index.ts";
import { makeDue } from "../reports/make.ts";
import { testBox } from "./delivering.ts";
import { crashWorld, reportContext } from "./reports.ts";

/** Makes the due reports of the schema SCHEMA until it is killed. */
const db = await openDatabase({
  url: process.env["DATABASE_URL"] ?? "",
  schema: process.env["SCHEMA"] ?? "",
  migrations,
  log: silentLog,
  camelCase: true,
});
const ctx = {
  db,
  clock: systemClock,
  log: silentLog,
  secrets: testBox,
  guard: createGuard(),
  publicUrl: "https://sonde.example.com",
  pushServices: [],
  committed: () => {},
  due: () => {},
};
const reports = reportContext(ctx, crashWorld());
for (;;) if ((await makeDue(reports)) === 0) await new Promise((go) => setTimeout(go, 10));
