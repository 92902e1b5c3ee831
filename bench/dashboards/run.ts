/**
 * Asks a real Prometheus for every query of the dashboards, over a whole Sonde with data:
 * `npm run bench -- dashboards`. Prints what is no valid query or has no data, and alerts that a well Sonde raises. Some
 * stay empty where nothing fails; those are named apart.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, apiOf, firstAdmin } from "../../e2e/support/api.ts";
import { dashboards } from "../../deploy/grafana/dashboards.ts";
import { debianProgram } from "../peers/debian.ts";
import { startWhole } from "../pipeline/whole.ts";
import { machine } from "../pipeline/report.ts";
import { startPrometheus } from "./prometheus.ts";

const seconds = process.argv.slice(2).map(Number).find(Number) ?? 60;
const rules = join(import.meta.dirname, "../../charts/sonde/files/alerts.yaml");
const sample = {
  cpu: { usage: 12.5 },
  memory: { total: 100, used: 40, free: 60, usage: 40 },
  disks: [{ device: "/dev/sda1", mountPoint: "/", fsType: "ext4", total: 100, used: 40, free: 60, usage: 40 }],
  load: { one: 0.4, five: 0.3, fifteen: 0.2 },
};
/** Without data while all is well, and where no certificate is checked. */
const ofTrouble =
  /certificate_expiry|== 0$|disconnects|timer_faults|dead_letters|own_trouble|dropped_results|offload_replaced|refused|block_failures|status_mails|held_back|duplicate_keys|(samples|results)_ignored/;

const say = (line: string) => void process.stdout.write(`${line}\n`);
const folder = await mkdtemp(join(tmpdir(), "sonde-dashboards-"));
const receiver = createServer((request, response) => response.writeHead(request.url === "/down" ? 500 : 200).end("ok"));
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const elsewhere = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
const sonde = await startWhole({
  environment: { MONITOR_MIN_INTERVAL_SECONDS: "1", SELF_WATCH_URL: `${elsewhere}/self-watch` },
});
const { api, token } = await firstAdmin(sonde.url);
const forMetrics = { name: "prometheus", scopes: ["metrics"] };
const { secret } = await api.send<{ secret: string }>("POST", "/api/keys", forMetrics);
const prometheus = await startPrometheus(folder, sonde.opsPorts(), rules, { url: sonde.url, secret });
try {
  await giveWork(api, token);
  await sleep(seconds * 1000);
  await ask();
  await checkText();
  say(machine());
  say(`alerts: ${(await prometheus.alerts()).join(", ") || "none"}`);
} finally {
  await prometheus.stop();
  await sonde.close();
  receiver.close();
  receiver.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
}
process.exit(process.exitCode ?? 0);

/** Something to check, to report, to alert, to stream and to refuse. */
async function giveWork(api: Api, token: string): Promise<void> {
  const hook = { name: "ops", type: "webhook", config: { url: `${elsewhere}/hook` } };
  const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", hook);
  const settings = { channels: [channel.id], language: "en-US" };
  await api.send("PUT", "/api/notifications/settings/global-monitor", settings);
  for (const path of ["/up", "/down"]) {
    await api.send("POST", "/api/monitors", {
      name: path,
      url: elsewhere + path,
      tags: ["shop"],
      interval: 1 / 60,
      expectedStatus: "200",
      retries: 0,
    });
  }
  const { token: oneTime } = await api.send<{ token: string }>("POST", "/api/agents/tokens", {});
  const agent = { token: oneTime, hostname: "web-1", ipAddresses: [], os: "Debian", version: "sh", interval: 10 };
  const { key } = await apiOf(sonde.url).send<{ key: string }>("POST", "/agent/v1/register", agent);
  const report = () =>
    apiOf(sonde.url, key).send("POST", "/agent/v1/report", {
      samples: [{ ...sample, at: new Date().toISOString() }],
    });
  setInterval(() => void report().catch(() => {}), 5_000).unref();
  setInterval(() => void api.get("/api/monitors").catch(() => {}), 1_000).unref();
  await api.send("POST", "/api/auth/login", { username: "ada", password: "wrong" }).catch(() => {});
  const stream = await fetch(`${sonde.url}/api/events`, { headers: { authorization: `Bearer ${token}` } });
  void stream.body?.pipeTo(new WritableStream()).catch(() => {});
}

/** What promtool thinks of names, help and types of `/api/metrics`. */
async function checkText(): Promise<void> {
  const text = await (
    await fetch(`${sonde.url}/api/metrics`, { headers: { authorization: `Bearer ${secret}` } })
  ).text();
  const promtool = join(dirname(await debianProgram("prometheus")), "promtool");
  const { status, stdout, stderr } = spawnSync(promtool, ["check", "metrics"], { input: text, encoding: "utf8" });
  say(`promtool check metrics: ${status === 0 ? "no fault" : `${stdout}${stderr}`}`);
  if (status !== 0) process.exitCode = 1;
}

async function ask(): Promise<void> {
  let asked = 0;
  for (const { title, rows } of Object.values(dashboards)) {
    for (const { panels } of rows) {
      for (const panel of panels) {
        for (const { expr } of panel.queries) {
          asked++;
          const query = expr.replaceAll("$__rate_interval", `${seconds}s`).replaceAll(/\$(namespace|job)/g, ".*");
          const found = await prometheus.count(query).catch((fault: unknown) => String(fault));
          if (found === 0 && ofTrouble.test(expr)) say(`  nothing, as it should be: ${title}, ${panel.title}`);
          else if (typeof found === "string" || found === 0) {
            say(`✗ ${title}, ${panel.title}: ${found === 0 ? "no data" : found}\n    ${query}`);
            process.exitCode = 1;
          }
        }
      }
    }
  }
  say(`${asked} queries were asked`);
}
