import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { connectBus } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { killWhenHung, probeNats, probePostgres, type ServerProbe } from "../supervisor/keep-running.ts";
import { startNats } from "@sonde/embedded/nats";
import { startPostgres } from "@sonde/embedded/postgres";
import { isAlive } from "@sonde/embedded/process-identity";

let folder: string;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-embedded-"));
  await chmod(folder, 0o711);
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await rm(folder, { recursive: true, force: true });
});

async function leaveServersBehind(): Promise<{ natsPid: number; postgresPid: number }> {
  const script = join(folder, "left-behind.ts");
  const path = (name: string) => JSON.stringify(createRequire(import.meta.url).resolve(`@sonde/embedded/${name}`));
  await writeFile(
    script,
    `import { startNats } from ${path("nats")};
     import { startPostgres } from ${path("postgres")};
     const nats = await startNats({ dataDir: process.argv[2] + "/nats" });
     const postgres = await startPostgres({ dataDir: process.argv[2] + "/postgres" });
     process.stdout.write(JSON.stringify({ natsPid: nats.pid, postgresPid: postgres.pid }), () =>
       process.kill(process.pid, "SIGKILL"));`,
  );
  const child = spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await once(child, "close");
  return JSON.parse(output) as { natsPid: number; postgresPid: number };
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

it("ends the servers of a killed run and starts new ones on the same folders", async () => {
  const left = await leaveServersBehind();
  expect(isAlive(left.natsPid)).toBe(true);
  expect(isAlive(left.postgresPid)).toBe(true);

  const nats = await startNats({ dataDir: join(folder, "nats") });
  stops.push(nats.stop);
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  stops.push(postgres.stop);

  expect(isAlive(left.natsPid)).toBe(false);
  expect(isAlive(left.postgresPid)).toBe(false);
  expect(await query(postgres.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

it("does not end an unrelated process whose id is in an old pid file", async () => {
  const stranger = spawn("sleep", ["600"]);
  stops.push(async () => void stranger.kill());
  await once(stranger, "spawn");
  const first = await startNats({ dataDir: join(folder, "nats") });
  await first.stop();
  await writeFile(join(folder, "nats", "nats-server.pid"), String(stranger.pid));

  const second = await startNats({ dataDir: join(folder, "nats") });
  stops.push(second.stop);

  expect(isAlive(stranger.pid as number)).toBe(true);
});

it("keeps rows and acknowledged messages when both servers are killed", async () => {
  const nats = await startNats({ dataDir: join(folder, "nats") });
  const connection = await connect({ servers: nats.url });
  await (await jetstreamManager(connection)).streams.add({ name: "KEPT", subjects: ["kept"] });
  const published = Array.from({ length: 200 }, (_, i) => jetstream(connection).publish("kept", `message ${i}`));
  await Promise.all(published);
  process.kill(nats.pid, "SIGKILL");
  await nats.exited;
  await connection.close();

  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  await query(postgres.url, "create table kept (word text); insert into kept values ('here')");
  process.kill(postgres.pid, "SIGKILL");
  await postgres.exited;

  const natsAgain = await startNats({ dataDir: join(folder, "nats") });
  stops.push(natsAgain.stop);
  const postgresAgain = await startPostgres({ dataDir: join(folder, "postgres") });
  stops.push(postgresAgain.stop);

  const connectionAgain = await connect({ servers: natsAgain.url });
  const { state } = await (await jetstreamManager(connectionAgain)).streams.info("KEPT");
  await connectionAgain.close();
  expect(state.messages).toBe(200);
  expect(await query(postgresAgain.url, "select word from kept")).toEqual([{ word: "here" }]);
});

it("rejects bus clients without the password, if one is set", async () => {
  const nats = await startNats({ dataDir: join(folder, "nats"), password: "a pass/word" });
  stops.push(nats.stop);

  await expect(connect({ servers: nats.url, reconnect: false })).rejects.toThrow(/authorization/i);

  const bus = await connectBus({ url: nats.url, name: "test", log: silentLog, streams: [], buckets: [] });
  expect(bus.connected()).toBe(true);
  await bus.close();
});

it("kills unresponsive servers with all their processes", async () => {
  const nats = await startNats({ dataDir: join(folder, "nats"), password: "a pass/word" });
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  stops.push(nats.stop, postgres.stop);
  const probes = [probeNats(nats.url), probePostgres(postgres.port)];
  await Promise.all(probes.map((probe) => probe()));
  const seconds: (() => void)[] = [];
  const eachSecond = (run: () => void) => {
    seconds.push(run);
    return () => {};
  };
  const lines: string[] = [];
  const output = { info: (line: string) => void lines.push(line), warn: (line: string) => void lines.push(line) };
  [nats, postgres].forEach((server, at) => killWhenHung("it", server, probes[at] as ServerProbe, output, eachSecond));

  process.kill(nats.pid, "SIGSTOP");
  process.kill(postgres.pid, "SIGSTOP");
  for (const second of seconds) for (let passed = 0; passed < 30; passed++) second();
  await Promise.all([nats.exited, postgres.exited]);

  expect(lines.filter((line) => line === "it does not respond and was killed.")).toHaveLength(2);
  const again = await startPostgres({ dataDir: join(folder, "postgres"), port: postgres.port });
  stops.push(again.stop);
  expect(await query(again.url, "select 1 as one")).toEqual([{ one: 1 }]);
});
