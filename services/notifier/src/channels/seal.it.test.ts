import { deriveKeys } from "@sonde/kit/secret-keys";
import { openSecrets } from "@sonde/domain/sealed-config";
import { secretBox, secretContexts } from "@sonde/kit/secrets";
import { fakeClock } from "@sonde/kit/time/clock";
import { registry } from "@sonde/kit/telemetry/metrics";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { openTestContext } from "../testing/context.ts";
import { sealChannels } from "./config.ts";
import { allChannels } from "./channels.ts";

let ctx: Context;
beforeAll(async () => void (ctx = await openTestContext(fakeClock())));
afterAll(() => ctx.db.destroy());

const context = secretContexts.channel;
const former = Buffer.alloc(32, 7).toString("base64");
/** Sealed by version 0.1.0 with that key. */
const formerText = "v1.OliLU2IjHXgskVe1yLkRosk2J7bXq7VcfbcUEBNrgS78ohGwFP2Ykg";
const add = (sealed: string) =>
  ctx.db("channels").insert({
    name: "Ops",
    type: "slack",
    enabled: true,
    config: JSON.stringify({ webhookUrl: { sealed } }),
    createdAtMs: 1,
    updatedAtMs: 1,
  });
const openedBy = async (masters: string) => {
  const { SONDE_KEY_CHANNEL } = deriveKeys(masters);
  const box = secretBox({ SONDE_KEY_CHANNEL });
  return (await allChannels(ctx.db)).map(({ config }) => {
    try {
      return openSecrets({ box, context }, config).webhookUrl;
    } catch {
      return null;
    }
  });
};
const remaining = async () =>
  (await registry.getMetricsAsJSON())
    .find(({ name }) => name === "sonde_secrets_under_old_keys")
    ?.values.find(({ labels }) => labels.table === "channels")?.value;

test("reseals channels of the previous version and of an older key with the first key; counts and keeps unreadable ones", async () => {
  const [old, next, lost] = [former, randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
  await add(formerText);
  await add(secretBox(deriveKeys(old)).seal("canary-old", context));
  const lostText = secretBox(deriveKeys(lost)).seal("canary-lost", context);
  await add(lostText);

  const secrets = secretBox(deriveKeys(`${next},${old}`));
  expect(await sealChannels({ ...ctx, secrets })).toBe(2);
  expect(await openedBy(next)).toEqual(["canary-token", "canary-old", null]);
  expect((await allChannels(ctx.db)).at(-1)?.config).toEqual({ webhookUrl: { sealed: lostText } });
  expect(await remaining()).toBe(1);
  expect(await sealChannels({ ...ctx, secrets })).toBe(0);

  await ctx.db("channels").where({ id: 3 }).delete();
  await sealChannels({ ...ctx, secrets: secretBox(deriveKeys(next)) });
  expect(await remaining()).toBe(0);
});
