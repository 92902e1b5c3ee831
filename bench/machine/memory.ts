import { setTimeout as sleep } from "node:timers/promises";
import { openBrowser } from "@sonde/testing/browser";
import type { Figure } from "@sonde/testing/figures";
import { watch } from "./watching.ts";

/** HTTP monitors, and the memory limit of all processes with their page cache. */
type SmallMachine = { mib: number; monitors: number; intervalSeconds: number; minutes: number };

/** M4: runs in a cgroup with little memory while a browser shows the dashboard and the public page. */
export async function inLittleMemory({ mib, monitors, intervalSeconds, minutes }: SmallMachine): Promise<Figure> {
  const sonde = await watch(mib, monitors, intervalSeconds);
  const browser = await openBrowser();
  try {
    const { user } = await sonde.api.get<{ user: unknown }>("/api/auth/me");
    const ids = Array.from({ length: Math.min(monitors, 100) }, (_, at) => at + 1);
    await sonde.api.send("PUT", "/api/status/config", { title: "Services", monitors: ids, agents: [], groups: [] });
    const dashboard = await browser.context.newPage();
    const session = { token: sonde.token, user: JSON.stringify(user) };
    await dashboard.goto(`${sonde.url}/login`);
    await dashboard.evaluate(
      `for (const [key, value] of Object.entries(${JSON.stringify(session)})) localStorage.setItem(key, value)`,
    );
    await dashboard.goto(`${sonde.url}/dashboard`);
    await (await browser.context.newPage()).goto(`${sonde.url}/status`);

    const processes = new Set((await sonde.processes()).map(({ pid, name }) => `${pid} ${name}`));
    const checksBefore = sonde.checks();
    let [minUp, maxMib] = [monitors, 0];
    for (let minute = 0; minute < minutes; minute++) {
      await sleep(60_000);
      const { up } = (await sonde.api.get<{ monitors: { up: number } }>("/api/dashboard")).monitors;
      const pssMib = (await sonde.processes()).reduce((sum, each) => sum + each.pssMib, 0);
      [minUp, maxMib] = [Math.min(minUp, up), Math.max(maxMib, pssMib)];
    }
    const expected = (minutes * 60 * monitors) / intervalSeconds;
    const checks = sonde.checks() - checksBefore;
    const now = new Set((await sonde.processes()).map(({ pid, name }) => `${pid} ${name}`));
    // PostgreSQL starts one process per connection.
    const gone = [...processes].filter((each) => !now.has(each) && !each.endsWith("PostgreSQL"));
    const kills = await sonde.kills();
    const timesOf = (words: RegExp) => sonde.output().match(words)?.length ?? 0;
    const [restarts, pauses] = [timesOf(/restarting in/g), timesOf(/has not responded for 10 s/g)];
    return {
      goal: "M4",
      what: `${minutes} min in ${mib} MiB, page cache included: ${monitors} monitors each ${intervalSeconds} s, a dashboard and the public page open`,
      wanted: "no kill, no restart, all up",
      measured: `${kills} kills, ${restarts} restarts, ${pauses} times 10 s without a sign of life, ${gone.length} processes gone, ${minUp} up at least; ${((100 * checks) / expected).toFixed(1)} % of ${expected} checks; at most ${maxMib.toFixed(0)} MiB (PSS)`,
      held: kills === 0 && restarts + pauses === 0 && gone.length === 0 && minUp === monitors,
    };
  } finally {
    await browser.close();
    await sonde.stop();
  }
}
