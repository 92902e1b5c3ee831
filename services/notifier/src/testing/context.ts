import { createGuard } from "@sonde/kit/egress/guard";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { Context } from "../context.ts";
import { openTables } from "./rows.ts";

/** Creates a context with its own schema in the test database. The caller destroys `db`. */
export async function openTestContext(clock: TimerClock, schema?: string): Promise<Context> {
  return {
    db: await openTables(schema),
    clock,
    log: silentLog,
    secrets: secretBox(deriveKeys(Buffer.alloc(32, 7).toString("base64"))),
    guard: createGuard({ denyCidrs: [] }),
    publicUrl: "https://sonde.example.com",
    pushServices: ["127.0.0.1"],
    committed: () => {},
    due: () => {},
  };
}
