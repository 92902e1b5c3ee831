import type { Database } from "@sonde/kit/postgres/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { delivered, openBed, type SentMessage, testChannel } from "../testing/delivering.ts";
import { openTables } from "../testing/rows.ts";

let db: Database;
beforeAll(async () => void (db = await openTables()));
afterAll(() => db.destroy());

test("claims quickly after a long outage of a provider, however large the backlog is", async () => {
  const sent: SentMessage[] = [];
  const provider = testChannel((one) => (sent.push(one), delivered), { reader: "machine" });
  const { addChannel, alert, run, statusOf, clock } = openBed(db, provider);
  const channelId = await addChannel("backlog");
  const nowMs = clock.now();
  // A thousand targets have a message that waits for its retry, with fifty behind it.
  await db.raw(
    `insert into messages (key, channel_id, targets, language, status, created_at_ms, due_at_ms, gives_up_at_ms)
     select 'backlog ' || number, :channelId, array['monitor:' || 1000000 + number % 1000], 'en-US', 'pending', :nowMs::bigint,
       case when number < 1000 then :nowMs::bigint + 60000 else :nowMs::bigint end, :nowMs::bigint + 3600000
     from generate_series(0, 50999) as number`,
    { channelId, nowMs },
  );
  const id = await alert(channelId, { monitor: 7 });
  await run();
  expect(sent.map(({ body }) => body)).toEqual(["down 7"]);
  expect(await statusOf(id)).toBe("delivered");
});
