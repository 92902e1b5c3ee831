import { silentLog } from "@sonde/kit/service/log";
import { expect, test } from "vitest";
import { createAccess } from "./access.ts";
import type { ClickHouse } from "./open.ts";

const clickhouse = { readsAtOnce: 1 } as ClickHouse;
const retention = { rawDays: 30, hourDays: 90 } as never;

test("a read that waits too long is rejected without running, and later reads run", async () => {
  const { read } = createAccess(clickhouse, retention, silentLog, 20);
  const first = Promise.withResolvers<string>();
  const ran: string[] = [];
  const run = (name: string) => () => (ran.push(name), Promise.resolve(name));
  const underway = read(() => first.promise);
  await expect(read(run("late"))).rejects.toMatchObject({ code: "unavailable" });
  first.resolve("first");
  await expect(underway).resolves.toBe("first");
  await expect(read(run("next"))).resolves.toBe("next");
  expect(ran).toEqual(["next"]);
});
