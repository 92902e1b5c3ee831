import { spawn } from "node:child_process";
import { access, mkdir, open, readdir, readFile, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

// What tests of replicas need beside the engine: ZooKeeper, which ClickHouse takes as it takes Keeper, and an engine that
// takes part in replication.

/** Where Debian's package `zookeeper` puts what Java needs; another folder by the environment. */
const jars = process.env["SONDE_ZOOKEEPER_JARS"] ?? "/usr/share/java";
/** Other loggers than slf4j-simple. */
const unwanted = /log4j-over|slf4j-(nop|jdk14|jcl|migrator|log4j12|reload4j)|jcl-over|jul-to/;

/** Why tests of replicas cannot run here; empty: they can. */
export async function whyNoReplicas(): Promise<string> {
  const found = await readFile(new URL(import.meta.resolve("@chdb/lib-linux-x64-gnu/package.json")), "utf8").catch(
    () => "{}",
  );
  const { version } = JSON.parse(found) as { version?: string };
  if (version !== offsets.version) return `replicas are tested with the engine ${offsets.version} for x64 alone`;
  const isThere = await access(join(jars, "zookeeper.jar")).then(
    () => true,
    () => false,
  );
  return isThere ? "" : "there is no ZooKeeper (Debian: apt-get install zookeeper default-jre-headless)";
}

export type TestKeeper = { port: number; stop(): Promise<void> };

/** Starts ZooKeeper with its data in a folder. */
export async function startKeeper(folder: string): Promise<TestKeeper> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const settings = { tickTime: 500, dataDir: join(folder, "data"), clientPort: port, "admin.enableServer": false };
  const file = join(folder, "zoo.cfg");
  const lines = Object.entries({ ...settings, clientPortAddress: "127.0.0.1" }).map(
    ([name, value]) => `${name}=${value}`,
  );
  await writeFile(file, lines.join("\n"));
  const classPath = (await readdir(jars)).filter((name) => name.endsWith(".jar") && !unwanted.test(name));
  const paths = classPath.map((name) => join(jars, name)).join(":");
  const main = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
  const child = spawn("java", ["-Xmx128m", "-cp", paths, main, file], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 300 || child.exitCode !== null) throw new Error("ZooKeeper did not start");
    await pause(100);
  }
  return {
    port,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => (socket.destroy(), resolve(true))).once("error", () => resolve(false));
  });

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** What an engine's configuration has of a cluster. */
export const clusterConfig = (keeper: TestKeeper, replica: string): string => `
  <max_thread_pool_size>1000</max_thread_pool_size>
  <background_schedule_pool_size>16</background_schedule_pool_size>
  <zookeeper>
    <node><host>127.0.0.1</host><port>${keeper.port}</port></node>
    <session_timeout_ms>4000</session_timeout_ms>
  </zookeeper>
  <macros><shard>1</shard><replica>${replica}</replica></macros>
`;

/** Places of functions in the library of that version. */
const offsets = {
  version: "26.7.3-stable.1",
  interserverAddress: 0x1417c9c0,
  mayChangeReplicatedSchema: 0x142891c0,
  poolOfNewTables: 0xf1ce5c0,
  poolOfIo: 0xf1cd740,
};

/**
 * Lets the engine of this process take part in replication. ClickHouse's server program gives the engine the address where
 * other servers fetch parts, allows statements that change a replicated schema, and makes the threads that do so; chDB has
 * the same code without that program, and no setting for these. So the answers are put where the engine asks for them, in
 * this process's memory, as machine code of x86-64.
 */
export async function joinReplication(interserverPort: number): Promise<void> {
  const maps = await readFile("/proc/self/maps", "utf8");
  const base = Number.parseInt(maps.split("\n").find((text) => text.includes("libchdb.so")) ?? "", 16);
  const memory = await open("/proc/self/mem", "r+");
  const put = (place: number, ...code: number[]) => memory.write(Buffer.from(code), 0, code.length, base + place);
  // The host, eight bytes at a time, then the port; and the return.
  const host = Buffer.alloc(24);
  host.write("127.0.0.1");
  host[23] = "127.0.0.1".length;
  const words = [0, 8, 16].flatMap((at) => [0x48, 0xb8, ...host.subarray(at, at + 8), 0x48, 0x89, 0x47, at]);
  const port = [0x66, 0xc7, 0x47, 0x18, interserverPort & 255, interserverPort >> 8];
  await put(offsets.interserverAddress, ...words, ...port, 0x48, 0x89, 0xf8, 0xc3);
  await put(offsets.mayChangeReplicatedSchema, 0xb0, 0x01, 0xc3);
  const jump = Buffer.alloc(4);
  jump.writeInt32LE(offsets.poolOfIo - offsets.poolOfNewTables - 5);
  await put(offsets.poolOfNewTables, 0xe9, ...jump);
  await memory.close();
}
