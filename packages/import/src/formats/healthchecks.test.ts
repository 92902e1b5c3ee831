import { importInput } from "@sonde/proto/http/import";
import { translateText } from "@sonde/proto/http/reasons/import-reasons";
import { expect, test } from "vitest";
import { readHealthchecks } from "./healthchecks.ts";
import { emptyInstallation } from "./testing/known.ts";
import { toDocument } from "./translate.ts";

/** From the documentation of API v3. */
const simple = {
  name: "Filesystem Backup",
  slug: "backup-fs",
  tags: "backup fs",
  desc: "Runs incremental backup every hour",
  grace: 600,
  n_pings: 1,
  status: "up",
  started: false,
  last_ping: "2020-03-24T14:02:03+00:00",
  next_ping: "2020-03-24T15:02:03+00:00",
  manual_resume: false,
  methods: "",
  subject: "",
  filter_subject: false,
  filter_body: false,
  uuid: "31365bce-8da9-4729-8ff3-aaa71d56b712",
  ping_url: "https://hc-ping.com/31365bce-8da9-4729-8ff3-aaa71d56b712",
  channels: "1bdea468-03bf-47b8-ab27-29a9dd0e4b94",
  timeout: 3600,
};
const { timeout: _timeout, uuid: _uuid, ping_url: _url, ...rest } = simple;
const cron = {
  ...rest,
  name: "",
  slug: "dump",
  status: "paused",
  filter_subject: true,
  schedule: "15 5 * * *",
  tz: "Europe/Riga",
  unique_key: "a6c7b0a8a66bed0df66abfdab3c77736861703ee",
};

function read(...checks: object[]) {
  const input = importInput.parse({ source: "healthchecks", answer: { checks } });
  if (input.source !== "healthchecks") throw new Error("another source");
  return toDocument(readHealthchecks(input.answer), emptyInstallation);
}
const notesOf = (translated: ReturnType<typeof read>) =>
  Object.values(translated.objects).map(({ notes }) => notes.map((note) => translateText(note, "en-US")));

test("a check with a period keeps its address, name, tags and grace time", () => {
  const translated = read(simple);
  expect(translated.refused).toEqual([]);
  expect(translated.config.monitors).toEqual({
    m1: expect.objectContaining({
      type: "heartbeat",
      name: "Filesystem Backup",
      note: "Runs incremental backup every hour",
      tags: ["backup", "fs"],
      paused: false,
      every: 60,
      grace: 600,
      slug: "backup-fs",
      pingToken: simple.uuid,
    }),
  });
  expect(notesOf(translated)).toEqual([[]]);
});

test("a check with a schedule keeps its time zone; fields hidden from read-only keys are reported", () => {
  const translated = read(cron);
  const [monitor] = Object.values(translated.config.monitors!);
  expect(monitor).toMatchObject({ name: "dump", cron: "15 5 * * *", timeZone: "Europe/Riga", paused: true });
  expect(monitor).not.toHaveProperty("every");
  expect(monitor!["pingToken"]).toMatch(/^[\da-f-]{36}$/);
  expect(notesOf(translated)).toEqual([
    ["Had no ping address, so it gets a new one", "Keyword rules for emails and bodies are not imported"],
  ]);
});

test("invalid checks are refused by name, and malformed fields cause no error", () => {
  const odd = ["", null, -1, [], {}, "x".repeat(5000)].map((value) =>
    Object.fromEntries(Object.keys({ ...simple, ...cron }).map((name) => [name, value])),
  );
  const { config, refused } = read(simple, { ...simple, slug: "no slug!" }, ...odd);
  expect(Object.keys(config.monitors!)).toContain("m1");
  expect(refused.length + Object.keys(config.monitors!).length).toBe(2 + odd.length);
  expect(translateText(refused[0]!.why, "en-US")).toMatch(/^slug: /);
});
