import { AppError } from "@sonde/kit/errors";
import { defaultStatusConfig } from "@sonde/proto/http/status/config";
import { parseInput } from "@sonde/kit/bus/rpc";
import { statusContract } from "@sonde/proto/rpc/status";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PageBed, openBed } from "../testing/bed.ts";
import { getConfig } from "./settings.ts";
import { updateConfig } from "./pages.ts";

let bed: PageBed;
beforeEach(async () => {
  bed = await openBed();
  for (const id of [1, 2, 3]) bed.fake.addMonitor({ id, name: `monitor ${id}`, status: "up" });
  for (const id of [1, 2]) bed.fake.addAgent({ id, name: `agent ${id}`, status: "online" });
});
afterEach(() => bed.db.destroy());

const save = async (input: unknown) => updateConfig(bed, parseInput(statusContract.methods.updateConfig.input, input));
const refused = async (input: unknown) => {
  const error = await save(input).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw error;
  return { code: error.code, paths: error.details.map(({ path }) => path) };
};

test("defaults apply before anything is saved", async () => {
  expect(await getConfig(bed)).toEqual(defaultStatusConfig);
});

test("saves a part, and keeps the rest", async () => {
  let changes = 0;
  bed.changed = () => void changes++;
  await save({ title: "Ours", monitors: [1, 2] });
  const config = await save({ agents: [2] });
  expect(config).toEqual({ ...defaultStatusConfig, title: "Ours", monitors: [1, 2], agents: [2] });
  expect(await getConfig(bed)).toEqual(config);
  expect(changes).toBe(2);
});

test("concurrent saves of parts are all kept, including the first of all", async () => {
  await Promise.all([save({ title: "Ours" }), save({ description: "All of it" }), save({ searchable: false })]);
  expect(await getConfig(bed)).toMatchObject({ title: "Ours", description: "All of it", searchable: false });
});

test("rejects missing targets with their path, and saves nothing", async () => {
  expect(await refused({ monitors: [1, 2, 3, 9], agents: [7], title: "Ours" })).toEqual({
    code: "impossible",
    paths: ["monitors.3", "agents.0"],
  });
  expect(await refused({ names: [{ type: "agent", id: 9, name: "Nine" }] })).toEqual({
    code: "impossible",
    paths: ["names.0.id"],
  });
  expect(await getConfig(bed)).toEqual(defaultStatusConfig);
});

test("drops targets that were deleted after they were saved, without rejecting the rest", async () => {
  const groups = [{ name: "Shop", monitors: [2, 1] }];
  await save({ monitors: [1, 2], agents: [1], groups, names: [{ type: "monitor", id: 2, name: "Two" }] });
  bed.fake.monitors.delete(2);
  const kept = { monitors: [1], agents: [1], groups: [{ name: "Shop", monitors: [1], agents: [] }], names: [] };
  expect(await getConfig(bed)).toMatchObject(kept);
  // A form that was opened earlier sends all of it again.
  const config = await save({ title: "Ours", monitors: [2, 1], groups });
  expect(config).toMatchObject({ title: "Ours", ...kept });
  bed.fake.addMonitor({ id: 2, name: "another", status: "up" });
  expect((await getConfig(bed)).monitors).toEqual([1]);
});

test("groups must match the shown targets if both are sent, and follow them otherwise", async () => {
  const groups = [{ name: "Shop", monitors: [1, 2] }];
  expect(await refused({ monitors: [1], groups })).toEqual({ code: "invalid", paths: ["groups.0.monitors.1"] });
  await save({ monitors: [1, 2], groups });
  expect((await save({ monitors: [1, 3] })).groups).toEqual([{ name: "Shop", monitors: [1], agents: [] }]);
  const twice = [...groups, { name: "Again", monitors: [1] }];
  expect(await refused({ monitors: [1, 2], groups: twice })).toEqual({
    code: "invalid",
    paths: ["groups.1.monitors.0"],
  });
});

test("rejects what the schema does not allow, from any caller", async () => {
  expect(await refused({ title: "", monitors: [0] })).toEqual({
    code: "invalid",
    paths: ["title", "monitors.0"],
  });
});

test("while services are unavailable, a change without new targets is saved", async () => {
  await save({ monitors: [1, 2] });
  bed.fake.unavailableServices.add("monitors");
  expect((await save({ title: "Ours", monitors: [2, 1] })).monitors).toEqual([2, 1]);
  expect((await getConfig(bed)).monitors).toEqual([2, 1]);
  expect(await refused({ monitors: [1, 3] })).toMatchObject({ code: "unavailable" });
});

test("mails need a channel of a mail type, which must exist when it is selected", async () => {
  bed.fake.channels.push({ id: 5, type: "smtp" }, { id: 6, type: "slack" });
  const choose = (channelId: number | null) => ({ subscriptions: { enabled: true, channelId } });
  for (const channelId of [6, 7]) {
    expect(await refused(choose(channelId))).toEqual({ code: "impossible", paths: ["subscriptions.channelId"] });
  }
  await save(choose(5));
  bed.fake.channels.length = 0;
  expect(await save({ ...choose(5), title: "Ours" })).toMatchObject({ title: "Ours", ...choose(5) });
  expect((await save(choose(null))).subscriptions.channelId).toBeNull();
});
