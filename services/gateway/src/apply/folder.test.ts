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
const asked = (method: string) => fakes.asked.filter((one) => one.method === method);
const noted = () => asked("noteSource").map(({ request }) => request);
const problem = (text: unknown, source = "prod-git") => ({ source, problem: text });

test("what the files hold is applied once, as their source, and again when they hold something else", async () => {
  vi.stubEnv("SLACK_URL", "https://hooks.slack.com/services/T/B/x");
  write(good);
  write("channels:\n  ops: {type: slack, webhookUrl: {env: SLACK_URL}}\n", "channels.yml");
  await watched.check();
  expect(asked("endApply").map(({ request }) => request)).toMatchObject([
    { source: "prod-git", outcome: "applied", by: "prod-git (folder)" },
  ]);
  const [applied] = asked("applyMonitors").filter(({ request }) => (request as { generation: unknown }).generation);
  expect(applied!.call.actor).toEqual({ id: 0, username: "prod-git (folder)", role: "user" });
  expect(warnings).toEqual([]);
  await watched.check();
  write(good);
  await watched.check();
  expect(asked("endApply")).toHaveLength(1);
  write(good.replace("shop.example", "new.example"));
  await watched.check();
  expect(asked("endApply")).toHaveLength(2);
});

test("a file that is wrong is noted once with its place, and the next good one clears that", async () => {
  write(good.replace("https:", "ftp:"));
  await watched.check();
  await watched.check();
  const sentence = "sonde.yaml:3:10: monitors.shop.url: Please enter a full http or https address";
  expect(noted()).toEqual([problem(sentence), problem(null, "folder")]);
  expect(warnings).toEqual([expect.objectContaining(problem(sentence))]);
  expect(asked("applyMonitors")).toEqual([]);
  write(good);
  await watched.check();
  expect(noted().at(-1)).toEqual(problem(null));
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
])("%j is explained", async (text, sentence, source = "folder") => {
  vi.stubEnv("NATS_URL", "nats://sonde:s3cret@nats:4222");
  write(text);
  await watched.check();
  expect(noted()[0]).toEqual(problem(expect.stringMatching(sentence), source));
});

test("an empty folder, and one that is not there", async () => {
  await watched.check();
  expect(noted()).toEqual([problem(expect.stringContaining("contains no *.yaml"), "folder")]);
  await watched.stop();
  rmSync(path, { recursive: true });
  open();
  await watched.check();
  expect(noted().at(-1)).toEqual(problem(expect.stringMatching(/ does not exist$/), "folder"));
  mkdirSync(path);
  write(good);
  await watched.check();
  expect(noted().slice(-2)).toEqual([problem(null, "folder"), problem(null)]);
});

test("a name that was known stays with files that cannot be read any more", async () => {
  write(good);
  await watched.check();
  write("monitors: [");
  await watched.check();
  expect(noted().at(-1)).toEqual(problem(expect.stringContaining("The indentation does not match")));
});

test("what Sonde refuses is noted with the object's place and without secrets, and tried again after minutes", async () => {
  write(good.replace("url:", "headers: [{name: a, value: s3cret}], url:"));
  const details = [
    { path: "monitors.shop.url", message: "{field} is managed by {source}", params: { field: "url", source: "x" } },
  ];
  fakes.refuse("applyMonitors", new AppError("impossible", "The request is not valid", { details: details as never }));
  await watched.check();
  expect(noted()[0]).toEqual(problem("sonde.yaml:3: monitors.shop.url: url is managed by x"));
  fakes.heal();
  await watched.check();
  expect(asked("applyMonitors")).toHaveLength(1);
  clock.advance(300_000);
  await watched.check();
  await watched.check();
  expect(noted().at(-1)).toEqual(problem(null));
});

test("a service that is away, or a gateway that was faster, is no problem of the files", async () => {
  write(good);
  fakes.refuse("applyMonitors", unavailable("monitors"));
  await watched.check();
  fakes.refuse(
    "applyMonitors",
    new AppError("conflict", "Superseded by generation {generation}", { params: { generation: 5 } }),
  );
  await watched.check();
  expect(noted()).toEqual([]);
  fakes.heal();
  clock.advance(30_000);
  await watched.check();
  expect(asked("endApply")).not.toEqual([]);
  expect([noted().every((one) => (one as { problem: unknown }).problem === null), warnings]).toEqual([true, []]);
});

test("a ConfigMap that is swapped is seen", async () => {
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
  expect(asked("endApply")).toHaveLength(2);
});

test("a change is seen without a call, within moments", async () => {
  write(good);
  await watched.check();
  write(good.replace("shop.example", "new.example"));
  await vi.waitFor(() => {
    clock.advance(600);
    expect(asked("endApply")).toHaveLength(2);
  });
});
