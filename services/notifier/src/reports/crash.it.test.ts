import { fakeClock } from "@sonde/kit/time/clock";
import { unpackReport, verifyReport } from "@sonde/proto/http/report-proof";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, inject, onTestFinished, test } from "vitest";
import { openTestContext } from "../testing/context.ts";
import { addMailChannel, crashWorld, reportContext, weekly } from "../testing/reports.ts";
import { uniqueSchema } from "../testing/rows.ts";
import { makeDue } from "./make.ts";
import { createReport } from "./reports.ts";

const [kills, count] = [3, 40];

test("a report is made once and mailed once to each recipient, however often the notifier is killed", async () => {
  const schema = uniqueSchema();
  const clock = fakeClock(Date.now());
  const ctx = await openTestContext(clock, schema);
  const world = crashWorld();
  const reports = reportContext(ctx, world);
  const channelId = await addMailChannel(ctx);
  const yearly = weekly({ targets: undefined, tag: "shop", every: "year", channelId, recipients: world.users });
  for (let at = 0; at < count; at++) await createReport(reports, { ...yearly, name: `Report ${at}` });
  await ctx.db("reports").update({ dueAtMs: 0 });
  const made = async () => Number((await ctx.db("report_issues").count("* as count").first())?.count);
  for (let killed = 0; killed < kills; killed++) {
    const before = await made();
    const child = spawn(process.execPath, [new URL("../testing/report-process.ts", import.meta.url).pathname], {
      env: { ...process.env, SCHEMA: schema, DATABASE_URL: inject("databaseUrl") },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const dead = once(child, "exit");
    onTestFinished(() => void child.kill("SIGKILL"));
    // It is killed in the middle of the next report.
    await expect.poll(made, { interval: 5, timeout: 120_000 }).toBeGreaterThan(before);
    child.kill("SIGKILL");
    await dead;
  }
  expect(await made()).toBeLessThan(count);
  // Reports that a killed process had claimed are tried again.
  clock.step(Date.now() - clock.now() + 120_000);
  while ((await makeDue(reports)) > 0);
  const issues = await ctx.db("report_issues").select<{ reportId: number; document: string }[]>();
  expect(new Set(issues.map(({ reportId }) => reportId)).size).toBe(count);
  expect(issues).toHaveLength(count);
  for (const { document } of issues) expect(verifyReport(document).problem).toBeUndefined();
  expect(unpackReport(issues[0]!.document).targets).toHaveLength(151);
  const keys = await ctx.db("messages").pluck<string[]>("key");
  expect(keys).toHaveLength(2 * count);
  expect(new Set(keys).size).toBe(2 * count);
  await ctx.db.destroy();
}, 180_000);
