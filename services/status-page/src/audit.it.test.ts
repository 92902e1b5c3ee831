import { parseInput } from "@sonde/kit/bus/rpc";
import { asUser, takeEntries } from "@sonde/domain/testing/audit";
import { statusContract } from "@sonde/proto/rpc/status";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  addUpdate,
  createAnnouncement,
  removeAnnouncement,
  updateAnnouncement,
} from "./announcements/announcements.ts";
import { createMaintenance, deleteMaintenance, endMaintenance, updateMaintenance } from "./maintenance/maintenance.ts";
import { createSilence, endSilence } from "./maintenance/silences.ts";
import { updateConfig } from "./pages/pages.ts";
import { deleteSubscriber, listSubscribers, unsubscribe } from "./subscribers/subscribers.ts";
import { openBed, type PageBed } from "./testing/bed.ts";
import { openMailing } from "./testing/mailing.ts";

let bed: PageBed;
beforeEach(async () => {
  bed = await openBed();
  bed.fake.addMonitor({ id: 1, name: "Shop", status: "up" });
});
afterEach(() => bed.db.destroy());
const { methods } = statusContract;
async function recordedBy(change: () => Promise<unknown>, db = bed.db) {
  await asUser(change);
  return (await takeEntries(db)).map(({ what, changes }) => [what, changes]);
}
const nothingChanged = async (change: () => Promise<unknown>) => {
  await expect(asUser(change)).rejects.toThrow();
  expect(await takeEntries(bed.db)).toEqual([]);
};

test("records changes of the page", async () => {
  const save = (input: object) => updateConfig(bed, parseInput(methods.updateConfig.input, input));
  expect(await recordedBy(() => save({ monitors: [1] }))).toMatchObject([
    [expect.stringMatching(/^update page:default ./), [{ path: "monitors", from: [], to: [1] }]],
  ]);
  expect(await recordedBy(() => save({ monitors: [1] }))).toEqual([]);
  await nothingChanged(() => save({ monitors: [4711] }));
});

test("records changes of maintenance and silences", async () => {
  const [start, end, later] = [-1, 1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  const input = parseInput(methods.createMaintenance.input, { name: "Upgrade", monitors: [1], start, end });
  const [[what, made]] = (await recordedBy(() => createMaintenance(bed, input))) as [[string, unknown[]]];
  const id = Number(/\d+/.exec(what));
  expect(what).toBe(`create maintenance:${id} Upgrade`);
  expect(made).not.toContainEqual(expect.objectContaining({ path: "status" }));
  const change = parseInput(methods.updateMaintenance.input, { id, end: later });
  expect(await recordedBy(() => updateMaintenance(bed, change))).toEqual([
    [`update maintenance:${id} Upgrade`, [{ path: "end", from: end, to: later }]],
  ]);
  expect(await recordedBy(() => endMaintenance(bed, id))).toMatchObject([
    [`end maintenance:${id} Upgrade`, [{ path: "end", from: later }]],
  ]);
  await nothingChanged(() => endMaintenance(bed, id));
  expect(await recordedBy(() => deleteMaintenance(bed, id))).toMatchObject([[`delete maintenance:${id} Upgrade`, {}]]);

  const silence = parseInput(methods.createSilence.input, { target: { type: "monitor", id: 1 }, minutes: 5 });
  const [[silenced]] = (await recordedBy(() => createSilence(bed, silence, "ada"))) as [[string]];
  const silenceId = Number(/\d+/.exec(silenced));
  expect(silenced).toBe(`create silence:${silenceId} Shop`);
  expect(await recordedBy(() => endSilence(bed, silenceId))).toMatchObject([
    [`end silence:${silenceId} Shop`, [{ path: "until" }]],
  ]);
  await nothingChanged(() => endSilence(bed, silenceId));
});

test("records changes of announcements", async () => {
  const input = parseInput(methods.createAnnouncement.input, { title: "Slow", impact: "minor", monitors: [1] });
  const [[what]] = (await recordedBy(() => createAnnouncement(bed, input))) as [[string]];
  const id = Number(/\d+/.exec(what));
  expect(what).toBe(`create announcement:${id} Slow`);
  expect(await recordedBy(() => updateAnnouncement(bed, { id, impact: "major" }))).toEqual([
    [`update announcement:${id} Slow`, [{ path: "impact", from: "minor", to: "major" }]],
  ]);
  expect(await recordedBy(() => addUpdate(bed, { id, state: "resolved", text: "Over." }))).toEqual([
    [
      `update announcement:${id} Slow`,
      [
        { path: "state", from: "investigating", to: "resolved" },
        { path: "text", to: "Over." },
      ],
    ],
  ]);
  await nothingChanged(() => updateAnnouncement(bed, { id, monitors: [4711] }));
  expect(await recordedBy(() => removeAnnouncement(bed, id))).toMatchObject([[`delete announcement:${id} Slow`, {}]]);
  await nothingChanged(() => removeAnnouncement(bed, id));
});

test("deleting a subscriber records a masked address; visitors' own actions record nothing", async () => {
  const mailing = await openMailing();
  const list = async () => (await listSubscribers(mailing.ctx, { page: 1, pageSize: 50 })).subscribers;
  expect(await recordedBy(() => mailing.join("reader@example.com"), mailing.db)).toEqual([]);
  const [{ id } = { id: 0 }] = await list();
  expect(await recordedBy(() => deleteSubscriber(mailing.ctx, id), mailing.db)).toEqual([
    [`delete subscriber:${id} r•••@example.com`, []],
  ]);
  expect(await recordedBy(() => unsubscribe(mailing.ctx, "unknown"), mailing.db)).toEqual([]);
  await mailing.db.destroy();
});
