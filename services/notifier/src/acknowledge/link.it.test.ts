import { acknowledgeLinkQuery } from "@sonde/proto/http/incidents/incidents";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { openTestContext } from "../testing/context.ts";
import { linksOf, readAcknowledgeLink } from "./link.ts";

let ctx: Context;
const clock = fakeClock();
beforeAll(async () => void (ctx = await openTestContext(clock)));
afterAll(() => ctx.db.destroy());

const refused = { code: "invalid", key: "This link is invalid or has expired" };
const week = 7 * 24 * 3_600_000;

async function addChannel(given: object = {}): Promise<number> {
  const row = { name: "Ops", type: "slack", enabled: true, config: {}, createdAtMs: 1, updatedAtMs: 1 };
  const [channel] = await ctx
    .db("channels")
    .insert({ ...row, ...given })
    .returning<{ id: number }[]>("id");
  return channel?.id ?? 0;
}

const tokenFor = (channelId: number) =>
  new URL(linksOf(ctx, channelId)("m12", "en-US").acknowledgeUrl ?? "").searchParams.get("token") ?? "";

test("a link is valid for one incident and one channel, for a week", async () => {
  const token = tokenFor(await addChannel());
  expect(encodeURIComponent(token)).toBe(token);
  expect(await readAcknowledgeLink(ctx, { token })).toEqual({
    incidentId: "m12",
    others: [],
    by: "Ops",
    runbook: "",
    acknowledgers: [],
    needs: 1,
  });
  clock.advance(week - 1);
  expect(await readAcknowledgeLink(ctx, { token })).toMatchObject({ incidentId: "m12" });
  clock.advance(1);
  await expect(readAcknowledgeLink(ctx, { token })).rejects.toMatchObject(refused);
});

test("the link of a person's contact names the person, whichever contact it is", async () => {
  for (const via of ["mail", "telegram"]) {
    const token = tokenFor(await addChannel({ name: `Ada · ${via}`, userId: 1 }));
    expect(await readAcknowledgeLink(ctx, { token })).toMatchObject({ by: "Ada" });
  }
});

test("a link returns the note of its incident's target", async () => {
  const token = tokenFor(await addChannel());
  const facts = { note: "Restart **it**" };
  const target = { targetType: "monitor", targetId: 1, targetName: "shop" };
  await ctx.db("incidents").insert({ id: "m12", ...target, kind: "down", cause: "", openedAtMs: 1, facts });
  expect(await readAcknowledgeLink(ctx, { token })).toMatchObject({ incidentId: "m12", runbook: "Restart **it**" });
});

test("a link says who acknowledged, and how many the incident's policy needs", async () => {
  const token = tokenFor(await addChannel());
  const target = { targetType: "monitor", targetId: 1, targetName: "shop" };
  const incident = { id: "m12", ...target, kind: "down", cause: "", openedAtMs: 1, facts: {}, acknowledgedBy: ["Ada"] };
  await ctx.db("incidents").insert(incident).onConflict("id").merge();
  const value = { steps: [{ after: 0, notify: [], needs: 2 }], repeat: 0 };
  const policy = { name: "Ops", value, createdAtMs: 1, updatedAtMs: 1 };
  const [made] = await ctx.db("policies").insert(policy).returning<{ id: number }[]>("id");
  await ctx.db("escalations").insert({ incidentId: "m12", policyId: made?.id, step: 1 });
  expect(await readAcknowledgeLink(ctx, { token })).toMatchObject({ acknowledgers: ["Ada"], needs: 2 });
  await ctx.db("incidents").where({ id: "m12" }).delete();
});

test("a link sent by version 0.1.0 still works", async () => {
  const token =
    "v1.Sd6dH1vIYWmXMXm5bLlBeIm7AQBaLhbyVvWF0pnpi3hSCnf7deYzI0audigClrXGAwvj_l5WIj-WTYUUr9PQ61fqlv2iTlYucsf30YzETJCwS0h12QcLXo8";
  await addChannel();
  expect(await readAcknowledgeLink(ctx, { token })).toMatchObject({ incidentId: "m1" });
});

test("rejects a token that was changed, sealed for another purpose, or made up", async () => {
  const token = tokenFor(await addChannel());
  const changed = `${token.slice(0, 10)}${token[10] === "A" ? "B" : "A"}${token.slice(11)}`;
  const foreign = ctx.secrets.seal('{"incidentId":"m12","channelId":1,"expiresAtMs":9e15}', "monitor-header");
  for (const wrong of ["", "x", "v1.", changed, foreign, "x".repeat(1000)])
    await expect(readAcknowledgeLink(ctx, { token: wrong })).rejects.toMatchObject(refused);
});

test("rejects links of a deleted channel", async () => {
  const id = await addChannel();
  const token = tokenFor(id);
  await ctx.db("channels").where({ id }).delete();
  await expect(readAcknowledgeLink(ctx, { token })).rejects.toMatchObject(refused);
});

test("a combined message has a link for all of its incidents, within the longest token, and no text for buttons", async () => {
  const id = await addChannel();
  const others = Array.from({ length: 49 }, (_, at) => `m${2_000_000_000 + at}`);
  const { acknowledgeUrl = "", tap } = linksOf(ctx, id)("m12", "en-US", others);
  const token = new URL(acknowledgeUrl).searchParams.get("token") ?? "";
  expect(tap).toBeUndefined();
  expect(acknowledgeLinkQuery.safeParse({ token }).success).toBe(true);
  expect(await readAcknowledgeLink(ctx, { token })).toMatchObject({ incidentId: "m12", others, runbook: "" });
});

test("creates no links without PUBLIC_URL, only the text for buttons", () => {
  expect(Object.keys(linksOf({ ...ctx, publicUrl: null }, 1)("m12", "en-US"))).toEqual(["tap"]);
});

test("links have the language of their message", () => {
  const { incidentUrl, acknowledgeUrl } = linksOf(ctx, 1)("m12", "zh-CN");
  expect(incidentUrl).toBe("https://sonde.example.com/incidents/m12?lang=zh-CN");
  expect(acknowledgeUrl).toMatch(/&lang=zh-CN$/);
});
