import type { Database } from "@sonde/kit/postgres/database";
import type { SharedCause } from "@sonde/proto/http/incidents/explanation";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ChannelMessage } from "../messages/message.ts";
import { renderMessage } from "../messages/render.ts";
import { delivered, openBed, testChannel } from "../testing/delivering.ts";
import { openTables } from "../testing/rows.ts";
import type { CauseReader } from "./shared-causes.ts";

let db: Database;
beforeAll(async () => {
  db = await openTables();
});
afterAll(() => db.destroy());

const cause = { fact: "address", value: "203.0.113.7", sharing: 2, failing: 2, healthy: 9 } as const;
const shown = { compose: ({ title, text }: ChannelMessage) => `${title}: ${text}` };

function open(causesOf: CauseReader) {
  const sent: string[] = [];
  const provider = testChannel(({ body }) => (sent.push(body), delivered), shown);
  return { sent, ...openBed(db, provider, { causesOf, render: renderMessage }) };
}

test("a message of several openings begins with what they share; without an answer it is sent, too", async () => {
  const causesOf = vi.fn(async (incidentIds: readonly string[]): Promise<SharedCause[]> =>
    incidentIds.includes("m1") ? [{ ...cause, incidentIds: [...incidentIds] }] : [],
  );
  const { addChannel, alert, run, pass, sent } = open(causesOf);
  const channelId = await addChannel("shared");
  await alert(channelId, { monitor: 100 });
  await run();
  expect(causesOf).not.toHaveBeenCalled();
  for (const monitor of [1, 2]) await alert(channelId, { monitor });
  await pass(10_000);
  // The first one after a pause is alone again.
  for (const monitor of [3, 4, 5]) await alert(channelId, { monitor });
  await pass(10_000);
  expect(causesOf.mock.calls).toEqual([[["m1", "m2"]], [["m4", "m5"]]]);
  expect(sent.filter((body) => body.startsWith("2 alerts"))).toEqual([
    "2 alerts: 2 down: 2 of 2 failing monitors share 203.0.113.7; 9 monitors elsewhere are up",
    "2 alerts: 2 down: ",
  ]);
});
