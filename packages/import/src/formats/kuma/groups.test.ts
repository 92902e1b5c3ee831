import { translateText } from "@sonde/proto/http/reasons/import-reasons";
import { describe, expect, test } from "vitest";
import { emptyInstallation } from "../testing/known.ts";
import { draftOf, http, type Row } from "../testing/kuma.ts";
import { toDocument } from "../translate.ts";

describe("notifications of groups", () => {
  const group = (id: number, more: Row = {}): Row => ({
    id,
    name: `group ${id}`,
    type: "group",
    interval: 60,
    ...more,
  });
  const channels = ["ops", "shop", "Paris"].map((name, at): Row => {
    const config = JSON.stringify({ type: "ntfy", ntfyserverurl: "https://ntfy.sh", ntfytopic: name });
    return { id: at + 1, name, user_id: 1, config };
  });
  const unknown: Row = { id: 4, name: "fax", user_id: 1, config: '{"type": "fax"}' };
  /** Channels and notes of each planned monitor; links look like `monitor 1 channel 2`. */
  const planOf = (rows: Row[], ...links: [number, number][]) => {
    const draft = draftOf(rows, {
      more: {
        notification: [...channels, unknown],
        monitor_notification: links.map(([monitor_id, notification_id]) => ({ monitor_id, notification_id })),
      },
    });
    const { config, objects } = toDocument(draft, emptyInstallation);
    const all = config.settings!["monitors"]?.["channels"];
    return Object.entries(config.monitors!).map(([key, { notify = {} }]) => {
      const { channels: own = all, enabled = true } = notify as { channels?: string[]; enabled?: boolean };
      const notes = objects[`monitor ${key}`]!.notes.map((note) => translateText(note, "en-US"));
      return { notifies: enabled ? own : [], notes };
    });
  };
  const shop = { ...http, expiry_notification: 0 };

  test("a group keeps the notifications that only it had, with its own reminders, and members do not inherit them", () => {
    const rows = [group(5), group(6, { parent: 5, resend_interval: 10 }), { ...shop, parent: 6 }];
    expect(planOf(rows, [5, 3], [6, 1], [6, 2])).toEqual([
      { notifies: [], notes: ["Sends no notifications, as before"] },
      { notifies: ["c3"], notes: [] },
      { notifies: ["c1", "c2"], notes: ["Notifies ops, shop"] },
    ]);
    const more = { notification: channels, monitor_notification: [{ monitor_id: 6, notification_id: 2 }] };
    expect(draftOf(rows, { more }).monitors[2]?.settings).toMatchObject({
      channels: [2],
      more: { cooldownMinutes: 10 },
    });
  });

  test("a channel that cannot be imported is reported", () => {
    expect(planOf([shop], [1, 1], [1, 4])).toEqual([{ notifies: ["c1"], notes: ["No longer notifies fax"] }]);
  });

  test("a monitor without notifications still notifies no one", () => {
    const other = { ...shop, id: 2, name: "Other", url: "https://other.example.com/" };
    expect(planOf([{ ...shop, parent: 5 }, other], [2, 1])).toEqual([
      { notifies: [], notes: ["Sends no notifications, as before"] },
      { notifies: ["c1"], notes: [] },
    ]);
  });
});
