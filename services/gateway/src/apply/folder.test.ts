import { AppError, unavailable } from "@sonde/kit/errors";
import { fakeClock } from "@sonde/kit/time/clock";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDirectReader } from "../import/reader.ts";
import { createFakes, directServices, type Fakes } from "../testing/fakes.ts";
import { watchFolder } from "./folder.ts";

let path: string;
let fakes: Fakes;
let warnings: { source: string; problem: string }[];
let watched: ReturnType<typeof watchFolder>;
let clock: ReturnType<typeof fakeClock>;
const open = (allowDelete = 0) => {
  const log = { warn: (fields: never) => warnings.push(fields), info: () => {} } as never;
  const reader = createDirectReader();
  clock = fakeClock();
  watched = watchFolder({ path, allowDelete, reader, services: directServices(fakes), clock, log, random: () => 0 });
};
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "sonde-folder-"));
  fakes = createFakes();
  warnings = [];
  open();
});
afterEach(async () => {
  await watched.stop();
  rmSync(path, { recursive: true });
  vi.unstubAllEnvs();
});

const write = (text: string, name = "sonde.yaml") => writeFileSync(join(path, name), text);
const good = "source: prod-git\nmonitors:\n  shop: {url: https://shop.example.com/}\n";
const callsTo = (method: string) => fakes.calls.filter((one) => one.method === method);
const recordedProblems = () => callsTo("noteSource").map(({ request }) => request);
const problem = (text: unknown, source = "prod-git") => ({ source, problem: text });

test("applies the files once as their source, and again after a change", async () => {
  vi.stubEnv("SLACK_URL", "https://hooks.slack.com/services/T/B/x");
  write(good);
  write("channels:\n  ops: {type: slack, webhookUrl: {env: SLACK_URL}}\n", "channels.yml");
  await watched.check();
  expect(callsTo("endApply").map(({ request }) => request)).toMatchObject([
    { source: "prod-git", outcome: "applied", by: "prod-git (folder)" },
  ]);
  const [applied] = callsTo("applyMonitors").filter(({ request }) => (request as { generation: unknown }).generation);
  expect(applied!.call.actor).toEqual({ id: 0, username: "prod-git (folder)", role: "user" });
  expect(warnings).toEqual([]);
  await watched.check();
  write(good);
  await watched.check();
  expect(callsTo("endApply")).toHaveLength(1);
  write(good.replace("shop.example", "new.example"));
  await watched.check();
  expect(callsTo("endApply")).toHaveLength(2);
});

test("records an invalid file once with its location, and clears that after a valid one", async () => {
  write(good.replace("https:", "ftp:"));
  await watched.check();
  await watched.check();
  const sentence = "sonde.yaml:3:10: monitors.shop.url: Please enter a full http or https address";
  expect(recordedProblems()).toEqual([problem(sentence), problem(null, "folder")]);
  expect(warnings).toEqual([expect.objectContaining(problem(sentence))]);
  expect(callsTo("applyMonitors")).toEqual([]);
  write(good);
  await watched.check();
  expect(recordedProblems().at(-1)).toEqual(problem(null));
});

test.each([
  ["monitors: [", /^sonde\.yaml:1:12: The indentation does not match the lines above$/],
  ["monitors: {a: {url: https://a.test/}}", /^A source is missing/],
  ["source: x\nmonitor: {}\nb: 1", /^sonde\.yaml:2:1: monitor: Unknown field \(and 1 more\)$/, "x"],
  ["source: x\nchannels: {a: {type: ntfy, topic: t, token: {env: NOT_SET}}}", /The variable NOT_SET is not set$/, "x"],
  [
    "source: x\nchannels: {a: {type: ntfy, topic: t, token: {env: NATS_URL}}}",
    /The variable NATS_URL is one of Sonde's own settings$/,
    "x",
  ],
])("explains %j", async (text, sentence, source = "folder") => {
  vi.stubEnv("NATS_URL", "nats://sonde:s3cret@nats:4222");
  write(text);
  await watched.check();
  expect(recordedProblems()[0]).toEqual(problem(expect.stringMatching(sentence), source));
});

test("handles an empty folder and a missing one", async () => {
  await watched.check();
  expect(recordedProblems()).toEqual([problem(expect.stringContaining("contains no *.yaml"), "folder")]);
  await watched.stop();
  rmSync(path, { recursive: true });
  open();
  await watched.check();
  expect(recordedProblems().at(-1)).toEqual(problem(expect.stringMatching(/ does not exist$/), "folder"));
  mkdirSync(path);
  write(good);
  await watched.check();
  expect(recordedProblems().slice(-2)).toEqual([problem(null, "folder"), problem(null)]);
});

test("keeps the last known source for files that can no longer be read", async () => {
  write(good);
  await watched.check();
  write("monitors: [");
  await watched.check();
  expect(recordedProblems().at(-1)).toEqual(problem(expect.stringContaining("The indentation does not match")));
});

test("records a rejection with the object's location and without secrets, and retries it minutes later", async () => {
  write(good.replace("url:", "headers: [{name: a, value: s3cret}], url:"));
  const details = [
    { path: "monitors.shop.url", message: "{field} is managed by {source}", params: { field: "url", source: "x" } },
  ];
  fakes.refuse("applyMonitors", new AppError("impossible", "The request is not valid", { details: details as never }));
  await watched.check();
  expect(recordedProblems()[0]).toEqual(problem("sonde.yaml:3: monitors.shop.url: url is managed by x"));
  fakes.heal();
  await watched.check();
  expect(callsTo("applyMonitors")).toHaveLength(1);
  clock.advance(300_000);
  await watched.check();
  await watched.check();
  expect(recordedProblems().at(-1)).toEqual(problem(null));
});

test("does not blame the files for an unavailable service or a concurrent apply", async () => {
  write(good);
  fakes.refuse("applyMonitors", unavailable("monitors"));
  await watched.check();
  fakes.refuse(
    "applyMonitors",
    new AppError("conflict", "Superseded by generation {generation}", { params: { generation: 5 } }),
  );
  await watched.check();
  expect(recordedProblems()).toEqual([]);
  fakes.heal();
  clock.advance(30_000);
  await watched.check();
  expect(callsTo("endApply")).not.toEqual([]);
  expect([recordedProblems().every((one) => (one as { problem: unknown }).problem === null), warnings]).toEqual([
    true,
    [],
  ]);
});

test("notices a ConfigMap swap", async () => {
  const version = (name: string, text: string) => {
    mkdirSync(join(path, name));
    write(text, `${name}/sonde.yaml`);
    symlinkSync(name, join(path, "..new"));
    renameSync(join(path, "..new"), join(path, "..data"));
  };
  version("..1", good);
  symlinkSync("..data/sonde.yaml", join(path, "sonde.yaml"));
  await watched.check();
  version("..2", good.replace("shop.example", "new.example"));
  await watched.check();
  expect(callsTo("endApply")).toHaveLength(2);
});

test("notices a change within moments, without polling", async () => {
  write(good);
  await watched.check();
  write(good.replace("shop.example", "new.example"));
  await vi.waitFor(() => {
    clock.advance(600);
    expect(callsTo("endApply")).toHaveLength(2);
  });
});
