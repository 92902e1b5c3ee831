import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { client } from "@sonde/kit/bus/rpc";
import { startNats } from "@sonde/embedded/nats";
import { startPostgres } from "@sonde/embedded/postgres";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { silentLog } from "@sonde/kit/service/log";
import { slotAtOrBefore } from "@sonde/kit/time/slots";
import { incidentsContract } from "@sonde/proto/rpc/incidents";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collectEvents } from "../testing/facts.ts";
import { eventually } from "../testing/eventually.ts";
import { inputOf } from "../testing/fields.ts";

/** Network namespaces of this run: the target and two runners, each with a link to the bus and one to the target. */
const run = `sonde${process.pid}`;
const ip = (...words: string[]) => execFileSync("ip", words, { stdio: "pipe" });
function canCreateNetworks(): boolean {
  try {
    ip("netns", "add", `${run}-try`);
    ip("netns", "del", `${run}-try`);
    return true;
  } catch {
    return false;
  }
}
/** Needs root, two free cores and half a minute: `SONDE_TEST_NETWORKS=1`. */
const canRun = process.env["SONDE_TEST_NETWORKS"] === "1" && canCreateNetworks();
const target = `${run}-t`;
const places = ["eu1", "us1"] as const;
const nameOf = (place: string) => `${run}-${place}`;
/** Interface names must be short. */
const link = (kind: string, index: number) => `s${kind}${index}x${process.pid % 10_000}`;
const address = "10.213.9.1";
const interval = 5 / 60;

const children: ChildProcess[] = [];
const servers: Server[] = [];
let dataDir: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let postgres: Awaited<ReturnType<typeof startPostgres>>;
let bus: Bus;
let http: ChildProcess;

function start(command: string, args: string[], variables: NodeJS.ProcessEnv = {}): ChildProcess {
  const env = {
    ...process.env,
    ...deriveKeys(Buffer.alloc(32, 7).toString("base64")),
    SONDE_LOCAL: "1",
    LOG_LEVEL: "error",
  };
  const child = spawn(command, args, { env: { ...env, ...variables }, stdio: "inherit" });
  children.push(child);
  return child;
}
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
const serve = () => {
  const code = `require("node:http").createServer((_, answer) => answer.end("ok")).listen(8080, "${address}")`;
  http = start("ip", ["netns", "exec", target, process.execPath, "-e", code]);
};
const monitorsProcess = () =>
  start(process.execPath, [join(import.meta.dirname, "../main.ts")], {
    NATS_URL: nats.url,
    DATABASE_URL: postgres.url,
    MONITOR_MIN_INTERVAL_SECONDS: "1",
  });

beforeAll(async () => {
  if (!canRun) return;
  dataDir = await mkdtemp(join(tmpdir(), "sonde-uplink-"));
  await chmod(dataDir, 0o711);
  nats = await startNats({ dataDir: join(dataDir, "nats") });
  postgres = await startPostgres({ dataDir: join(dataDir, "postgres"), durable: false });
  bus = await connectBus({ url: nats.url, name: "uplink", log: silentLog, shrink: 4 });
  ip("netns", "add", target);
  ip("-n", target, "link", "set", "lo", "up");
  ip("-n", target, "address", "add", `${address}/32`, "dev", "lo");
  serve();
  for (const [index, place] of places.entries()) {
    const [space, net] = [nameOf(place), `10.213.${index}`];
    ip("netns", "add", space);
    ip("-n", space, "link", "set", "lo", "up");
    ip("link", "add", link("b", index), "type", "veth", "peer", "name", "bus", "netns", space);
    ip("address", "add", `${net}.1/30`, "dev", link("b", index));
    ip("link", "set", link("b", index), "up");
    ip("-n", space, "address", "add", `${net}.2/30`, "dev", "bus");
    ip("-n", space, "link", "set", "bus", "up");
    ip("-n", target, "link", "add", `to-${place}`, "type", "veth", "peer", "name", "out", "netns", space);
    ip("-n", target, "address", "add", `${net}.5/30`, "dev", `to-${place}`);
    ip("-n", target, "link", "set", `to-${place}`, "up");
    ip("-n", space, "address", "add", `${net}.6/30`, "dev", "out");
    ip("-n", space, "link", "set", "out", "up");
    ip("-n", space, "route", "add", `${address}/32`, "via", `${net}.5`);
    // The bus listens only on this machine's loopback.
    const { port } = new URL(nats.url);
    const server = createServer((socket) => {
      const bound = connect(Number(port), "127.0.0.1");
      socket.pipe(bound).pipe(socket);
      for (const end of [socket, bound]) end.on("error", () => (socket.destroy(), bound.destroy()));
    }).listen(Number(port), `${net}.1`);
    servers.push(server);
    const main = join(import.meta.dirname, "../../../probe-runner/src/main.ts");
    start("ip", ["netns", "exec", space, process.execPath, main], {
      NATS_URL: `nats://${net}.1:${port}`,
      PROBE_LOCATION: place,
    });
  }
});
afterAll(async () => {
  if (!canRun) return;
  await Promise.all(children.map(kill));
  for (const server of servers) server.close();
  for (const space of [target, ...places.map(nameOf)]) ip("netns", "del", space);
  await bus.close();
  await Promise.all([nats.stop(), postgres.stop()]);
  await rm(dataDir, { recursive: true, force: true });
});

test.skipIf(!canRun)(
  "a cut uplink of one runner causes no alert; a target that is down does, even if the owner is killed in between",
  async () => {
    const monitors = client(bus, monitorsContract, { timeoutMs: 30_000 });
    const incidents = client(bus, incidentsContract, { timeoutMs: 30_000, scope: "monitors" });
    let owner = monitorsProcess();
    await eventually(async () => expect((await monitors.listLocations({})).locations).toHaveLength(2));
    const { id } = await monitors.createMonitor({
      monitor: inputOf({
        name: "shop",
        url: `http://${address}:8080/`,
        interval,
        timeout: 1,
        locations: ["eu1"],
        confirm: { locations: ["us1"], need: 1 },
      }),
    });
    const events = collectEvents(bus);
    const get = () => monitors.getMonitor({ id });
    const kindsOf = async () =>
      (await incidents.listIncidents({ filter: { targetId: id } })).incidents.map(({ incident }) => incident.kind);
    await eventually(async () => expect((await get()).status).toBe("up"));

    // A cut that the runner notices is no data. Then another machine takes the target's address.
    ip("-n", target, "link", "set", "to-eu1", "down");
    await pause(2 * interval * 60_000);
    expect(events.words(id)).not.toContain("down");
    ip("-n", nameOf("eu1"), "address", "add", `${address}/32`, "dev", "lo");
    await eventually(async () => expect(await get()).toMatchObject({ status: "up", partial: ["eu1"] }));
    await pause(3 * interval * 60_000);
    expect(events.words(id)).not.toContain("down");
    expect(await kindsOf()).toContain("partial");
    ip("-n", nameOf("eu1"), "address", "del", `${address}/32`, "dev", "lo");
    ip("-n", target, "link", "set", "to-eu1", "up");
    await eventually(async () => expect((await get()).partial).toBeUndefined());

    await kill(http);
    await eventually(async () => expect((await get()).status).toBe("down"));
    const down = events.of(id).find(({ fact }) => fact.case === "monitor" && fact.value.status === "down");
    const slotMs = slotAtOrBefore(id, interval * 60_000, Date.parse((await get()).statusSince));
    expect((down?.atMs ?? Infinity) - slotMs).toBeLessThan(3_500);
    serve();
    await eventually(async () => expect((await get()).status).toBe("up"));

    // The owner is killed just after it noticed the failure, while it may still wait for opinions.
    await kill(http);
    await eventually(async () => expect((await get()).lastError).toBeDefined());
    await kill(owner);
    owner = monitorsProcess();
    await eventually(async () => expect((await get()).status).toBe("down"));
    expect((await kindsOf()).filter((kind) => kind === "down")).toHaveLength(2);
    await events.stop();
  },
);
