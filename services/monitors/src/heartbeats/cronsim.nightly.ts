import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { nextRuns } from "./schedule.ts";

const folder = mkdtempSync(join(tmpdir(), "sonde-cronsim-"));
const python = join(folder, "bin/python");
const run = (program: string, args: readonly string[], input = "") =>
  spawnSync(program, args, { input, encoding: "utf8", maxBuffer: 2 ** 28 });
const hasCronsim =
  run("python3", ["-m", "venv", folder]).status === 0 &&
  run(python, ["-m", "pip", "install", "--quiet", "cronsim"]).status === 0;
afterAll(() => rmSync(folder, { recursive: true }));

const rounds = 2_000;
const runsOfEach = 10;

/** Prints cronsim's next runs (Debian's rules) after each time, without duplicates. */
const script = `
import json, sys
from datetime import datetime
from itertools import islice
from zoneinfo import ZoneInfo
from cronsim import CronSim
for line in sys.stdin:
    cron, zone, from_ms = json.loads(line)
    found = CronSim(cron, datetime.fromtimestamp(from_ms / 1000, ZoneInfo(zone)))
    runs = dict.fromkeys(round(run.timestamp() * 1000) for run in islice(found, ${2 * runsOfEach}))
    print(json.dumps(list(runs)[:${runsOfEach}]))
`;

/** Without Lord Howe, whose clock changes by half an hour: cronsim loses runs there. */
const zones = [
  "UTC",
  "Europe/Berlin",
  "Europe/London",
  "America/New_York",
  "America/Los_Angeles",
  "America/Santiago",
  "America/St_Johns",
  "Australia/Sydney",
  "Pacific/Auckland",
  "Africa/Cairo",
  "Asia/Kolkata",
  "Asia/Shanghai",
];

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomCron(random: (below: number) => number): string {
  const field = (first: number, last: number, names: readonly string[] = []): string => {
    const value = (from = first) => from + random(last - from + 1);
    const named = (at: number) =>
      names.length > 0 && random(3) === 0 ? (names[at - first] ?? String(at)) : String(at);
    const item = (): string => {
      const from = first + random(last - first);
      const to = value(from + 1);
      const step = 1 + random(random(4) === 0 ? 2 * last + 2 : Math.ceil(last / 2));
      const forms = [
        named(from),
        `${from}-${to}`,
        `*/${step}`,
        `${from}/${step}`,
        // cronsim reads a single value with a step as the start of a range.
        `${from}-${to}/${step}`,
      ];
      return forms[random(forms.length)]!;
    };
    if (random(3) === 0) return "*";
    return Array.from({ length: random(4) === 0 ? 2 + random(3) : 1 }, item).join(",");
  };
  const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
  const days = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
  const month = random(2) === 0 ? "*" : field(1, 12, months);
  return [field(0, 59), field(0, 23), field(1, 28), month, field(0, 6, days)].join(" ");
}

test.skipIf(!hasCronsim)(
  "random expressions run at the same times as in Python's cronsim, in twelve time zones",
  () => {
    const random = randomOf(4_711);
    // Near the clock changes of 2024, which every zone database knows, and at random times.
    const near = ["03-09", "03-30", "04-06", "04-25", "09-07", "10-05", "10-26", "11-02"].map((day) =>
      Date.parse(`2024-${day}T12:00Z`),
    );
    const inputs = Array.from({ length: rounds }, () => {
      const cron = randomCron(random);
      const anywhere = Date.UTC(2024, 0, 1) + random(365 * 1_440) * 60_000;
      return zones.map((zone) => [cron, zone, [...near, anywhere][random(near.length + 1)]!] as const);
    }).flat();
    const { stdout, stderr } = run(python, ["-c", script], inputs.map((line) => JSON.stringify(line)).join("\n"));
    const answers = stdout.trim().split("\n");
    expect(answers.length, stderr).toBe(inputs.length);
    const shown = (runs: readonly number[]) => runs.map((ms) => new Date(ms).toISOString());
    for (const [at, [cron, timeZone, fromMs]] of inputs.entries()) {
      const found = nextRuns({ cron, timeZone }, fromMs, runsOfEach);
      const expected = JSON.parse(answers[at]!) as number[];
      expect(shown(found), `${cron} in ${timeZone} from ${new Date(fromMs).toISOString()}`).toEqual(shown(expected));
    }
  },
  1_200_000,
);
