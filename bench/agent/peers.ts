/**
 * Measures Debian's prometheus-node-exporter beside the agent: `node bench/agent/peers.ts`. Its package is fetched with
 * apt and unpacked into a temporary folder, nothing is installed. It is asked every 10 s, as Prometheus would.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { get } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run, usageOf } from "./process.ts";

const scrapes = 12;
const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function scrape(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    get(`http://127.0.0.1:${port}/metrics`, (response) => {
      let size = 0;
      response.on("data", (chunk: Buffer) => (size += chunk.length)).once("end", () => resolve(size));
    }).once("error", reject);
  });
}

const folder = await mkdtemp(join(tmpdir(), "sonde-bench-peers-"));
try {
  // As root apt would fetch as a user that may not write here.
  await run("apt-get", ["download", "-o", "APT::Sandbox::User=root", "prometheus-node-exporter"], { cwd: folder });
  const archive = (await readdir(folder)).find((name) => name.endsWith(".deb"));
  if (archive === undefined) throw new Error("apt fetched nothing");
  await run("dpkg", ["-x", join(folder, archive), join(folder, "root")]);
  const port = await freePort();
  const program = join(folder, "root/usr/bin/prometheus-node-exporter");
  const child = spawn(program, [`--web.listen-address=127.0.0.1:${port}`], { stdio: "ignore" });
  await sleep(2000);
  let bytes = await scrape(port);
  const [start, startMs] = [await usageOf(child.pid!), performance.now()];
  for (let count = 0; count < scrapes; count += 1) {
    await sleep(10_000);
    bytes = await scrape(port);
  }
  const end = await usageOf(child.pid!);
  const share = ((end.cpuMs - start.cpuMs) / (performance.now() - startMs)) * 100;
  child.kill("SIGTERM");
  await once(child, "exit");
  console.log(
    `prometheus-node-exporter: ${share.toFixed(3)} % of a core, ${mib(end.anonymousBytes)} anonymous, ${mib(end.rssBytes)} resident, ${bytes} bytes a scrape`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
