import { createGuard } from "@sonde/kit/egress/guard";
import { openDatabase } from "@sonde/kit/postgres/database";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { silentLog } from "@sonde/kit/service/log";
import type { TimerClock } from "@sonde/kit/time/clock";
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { migrations } from "../../migrations/index.ts";
import type { Context } from "../context.ts";

/** Creates a context with its own schema in the test database. The caller destroys `db`. */
export async function openTestContext(
  clock: TimerClock,
  schema = `notifier_${randomUUID().replace(/[^a-f]/g, "")}`,
): Promise<Context> {
  return {
    db: await openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog, camelCase: true }),
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
