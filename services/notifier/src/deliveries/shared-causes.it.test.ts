import type { Database } from "@sonde/kit/postgres/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChannelMessage } from "../messages/message.ts";
import { renderMessage } from "../messages/render.ts";
import { delivered, openBed, testChannel } from "../testing/delivering.ts";
import { openTables } from "../testing/rows.ts";
import type { CauseSource } from "./shared-causes.ts";

let db: Database;
beforeAll(async () => {
  db = await openTables();
});
afterAll(() => db.destroy());

const cause = { fact: "address", value: "203.0.113.7", sharing: 2, failing: 2, healthy: 9 } as const;
const shown = { compose: ({ title, text }: ChannelMessage) => `${title}: ${text}` };

function open(listSharedCauses: CauseSource["listSharedCauses"]) {
  const sent: string[] = [];
  const provider = testChannel(({ body }) => (sent.push(body), delivered), shown);
  return { sent, ...openBed(db, provider, { monitors: { listSharedCauses }, render: renderMessage }) };
}

test("a message of several openings begins with what they share; without an answer it is sent, too", async () => {
  const asked: unknown[] = [];
  const { addChannel, alert, run, pass, sent } = open(async ({ incidentIds = [] }) => {
    asked.push(incidentIds);
    return { causes: incidentIds.includes("m1") ? [{ ...cause, incidentIds }] : [] };
  });
  const channelId = await addChannel("shared");
  await alert(channelId, { monitor: 100 });
  await run();
  expect(asked).toEqual([]);
  for (const monitor of [1, 2]) await alert(channelId, { monitor });
  await pass(10_000);
  // The first one after a pause is alone again.
  for (const monitor of [3, 4, 5]) await alert(channelId, { monitor });
  await pass(10_000);
  expect(asked).toEqual([
    ["m1", "m2"],
    ["m4", "m5"],
  ]);
  expect(sent.filter((body) => body.startsWith("2 alerts"))).toEqual([
    "2 alerts: 2 down: 2 of 2 failing monitors share 203.0.113.7; 9 monitors elsewhere are up",
    "2 alerts: 2 down: ",
  ]);
});
