import { systemClock } from "@sonde/kit/time/clock";
import type { Database } from "@sonde/kit/postgres/database";
import { expect, test } from "vitest";
import { describeHost } from "./register.ts";

test("while the database is unavailable the host must send its facts again, and nothing fails", async () => {
  const away = () => {
    throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  };
  const host = { hostname: "web-1", ipAddresses: [], os: "Debian", version: "1.0.0" };
  expect(await describeHost({ db: away as unknown as Database, clock: systemClock }, 7, host)).toBe(false);
});
