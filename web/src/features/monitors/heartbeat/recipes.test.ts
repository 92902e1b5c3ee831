import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calendarOf, cronOf, recipeNames, recipeOf } from "./recipes.ts";

const url = "https://sonde.example.com/ping/0d4f1f0e-2f3a-4c5b-8d6e-7f8091a2b3c4";

/** Folder of stub programs. The stub of curl records its arguments. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "recipes-"));
  program("curl", `for last; do :; done; echo "$last" >> '${folder}/called'`);
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(name: string, script: string) {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}
function sh(script: string, env: Record<string, string> = {}) {
  const { status } = spawnSync("/bin/sh", ["-c", script], {
    env: { PATH: `${folder}:/usr/bin:/bin`, ...env },
  });
  return status;
}
const called = () => readFileSync(join(folder, "called"), "utf8").trim().split("\n");

describe("the snippets", () => {
  it("call curl with retries and a timeout everywhere", () => {
    for (const name of recipeNames.filter((each) => each !== "sonde"))
      expect(recipeOf(name, url, { every: 60 })).toMatch(/curl(\.exe)? -fsS -m 10 --retry 5 -o \S+ "/);
  });

  it("for crontab use its hours and send the exit code", () => {
    const lines = recipeOf("crontab", url, { cron: "30 0 3 * * *", timeZone: "Europe/Berlin" });
    expect(lines).toMatch(/^# The hours are those of Europe\/Berlin\n0 3 \* \* \* /);
    program("job.sh", "exit 3");
    const command = lines.split("\n")[1]!.replace("0 3 * * * ", "").replace("/usr/local/bin/job.sh", "job.sh");
    sh(command);
    program("job.sh", "exit 0");
    sh(command);
    expect(called()).toEqual([`${url}/3`, `${url}/0`]);
  });

  it("for systemd send the exit code, and a failure if the job was killed", () => {
    const unit = recipeOf("systemd", url, { every: 60 });
    expect(unit).toContain("OnCalendar=*-*-* *:00:00");
    const script = /ExecStopPost=-\/bin\/sh -c '(.+)'/.exec(unit)![1]!.replaceAll("$$", "$");
    sh(script, { EXIT_CODE: "exited", EXIT_STATUS: "7" });
    sh(script, { EXIT_CODE: "killed", EXIT_STATUS: "TERM" });
    expect(called()).toEqual([`${url}/7`, `${url}/fail`]);
  });

  it("for Kubernetes exit like the job", () => {
    const manifest = recipeOf("kubernetes", url, { cron: "0 3 * * *", timeZone: "Europe/Berlin" });
    expect(manifest).toContain('schedule: "0 3 * * *"\n  timeZone: Europe/Berlin');
    const script = manifest.split("- |\n")[1]!.replaceAll(/^ +/gm, "").replace("/app/job.sh", "job.sh");
    program("job.sh", "exit 4");
    expect(sh(script)).toBe(4);
    expect(called()).toEqual([`${url}/start`, `${url}/4`]);
  });

  it("for GitHub Actions keep the address out of the workflow and report failures", () => {
    const workflow = recipeOf("github", url, { every: 1440 });
    expect(workflow.split("\n").filter((line) => line.includes(url))).toEqual([`# ${url}`]);
    expect(workflow).toContain("if: always()");
    const line = /run: (curl .+)$/m.exec(workflow)![1]!;
    sh(line, { PING_URL: url, END: "/fail" });
    sh(line, { PING_URL: url, END: "" });
    expect(called()).toEqual([`${url}/fail`, url]);
  });

  it("for the command download it from the pinged server", () => {
    expect(recipeOf("sonde", url, {})).toContain("'https://sonde.example.com/downloads/sonde.mjs'");
    expect(recipeOf("sonde", url, {})).toContain(`run --ping '${url}' -- `);
  });
});

describe("the schedule of a snippet", () => {
  it.each([
    [{ every: 1 }, "* * * * *"],
    [{ every: 15 }, "*/15 * * * *"],
    [{ every: 60 }, "0 * * * *"],
    [{ every: 360 }, "0 */6 * * *"],
    [{ every: 1440 }, "0 3 * * *"],
    [{ every: 10_080 }, "0 3 * * 0"],
    [{ cron: " 5  4 * * 1 " }, "5 4 * * 1"],
  ])("is that of the heartbeat: %o", (schedule, cron) => expect(cronOf(schedule)).toBe(cron));

  it.each([
    ["5 4 * * 1", "Mon *-*-* 04:05:00"],
    ["*/15 * * * *", "*-*-* *:00/15:00"],
    ["0 */6 * * *", "*-*-* 00/6:00:00"],
    ["0 3,15 * * *", "*-*-* 03,15:00:00"],
    ["0 3 1 * *", null],
    ["0 3 * * MON-FRI", null],
  ])("is converted for systemd: %s", (cron, calendar) => expect(calendarOf(cron)).toBe(calendar));
});
