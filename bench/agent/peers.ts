/**
 * Measures what others take for the same work: `node bench/agent/peers.ts`, all three at once, two minutes. Debian's
 * prometheus-node-exporter is fetched with apt into a temporary folder and scraped every 10 s, as Prometheus would;
 * collectd-core and netdata-core are measured where they are installed, each set to collect every 10 s.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { run, treeUsageOf } from "./process.ts";

const rounds = 12;
const everySeconds = 10;
const warmUpMs = 20_000;
const mib = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

/** `command` starts it in the foreground, in `folder`, listening on `port` where it does. */
type Peer = {
  name: string;
  command: (folder: string, port: number) => Promise<[program: string, ...args: string[]]>;
  /** Asked every 10 s. */
  path?: string;
};

const peers: Peer[] = [
  {
    name: "prometheus-node-exporter",
    path: "/metrics",
    async command(folder, port) {
      // As root apt would fetch as a user that may not write here.
      await run("apt-get", ["download", "-o", "APT::Sandbox::User=root", "prometheus-node-exporter"], { cwd: folder });
      const archive = (await readdir(folder)).find((name) => name.endsWith(".deb"));
      if (archive === undefined) throw new Error("apt fetched nothing");
      await run("dpkg", ["-x", join(folder, archive), join(folder, "root")]);
      return [join(folder, "root/usr/bin/prometheus-node-exporter"), `--web.listen-address=127.0.0.1:${port}`];
    },
  },
  {
    name: "collectd",
    async command(folder, port) {
      await access("/usr/sbin/collectd");
      const plugins = ["cpu", "memory", "df", "disk", "interface", "load", "uptime", "network"];
      const settings = [
        `Interval ${everySeconds}`,
        `BaseDir "${folder}"`,
        `PIDFile "${folder}/pid"`,
        ...plugins.map((name) => `LoadPlugin ${name}`),
        `<Plugin network>\n  Server "127.0.0.1" "${port}"\n</Plugin>`,
      ];
      await writeFile(join(folder, "collectd.conf"), `${settings.join("\n")}\n`);
      return ["/usr/sbin/collectd", "-f", "-C", join(folder, "collectd.conf")];
    },
  },
  {
    name: "netdata",
    async command(folder, port) {
      await access("/usr/sbin/netdata");
      for (const name of ["cache", "lib", "log"]) await mkdir(join(folder, name));
      const settings = [
        "[global]\n  run as user = root",
        `[db]\n  mode = ram\n  update every = ${everySeconds}`,
        `[web]\n  bind to = 127.0.0.1:${port}`,
        `[directories]\n  cache = ${folder}/cache\n  lib = ${folder}/lib\n  log = ${folder}/log`,
      ];
      await writeFile(join(folder, "netdata.conf"), `${settings.join("\n")}\n`);
      return ["/usr/sbin/netdata", "-D", "-c", join(folder, "netdata.conf")];
    },
  },
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function scrape(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, (response) => response.resume().once("end", resolve)).once("error", reject);
  });
}

async function measure({ name, command, path }: Peer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-bench-peer-"));
  try {
    const port = await freePort();
    const line = await command(folder, port).catch(() => null);
    if (line === null) return `${name}: not at hand`;
    const [program, ...args] = line;
    const child = spawn(program, args, { stdio: "ignore" });
    await sleep(warmUpMs);
    if (child.pid === undefined || child.exitCode !== null) return `${name}: ended with ${child.exitCode}`;
    const [start, startMs] = [await treeUsageOf(child.pid), performance.now()];
    for (let count = 0; count < rounds; count++) {
      await sleep(everySeconds * 1000);
      if (path !== undefined) await scrape(`http://127.0.0.1:${port}${path}`);
    }
    const end = await treeUsageOf(child.pid);
    const share = ((end.cpuMs - start.cpuMs) / (performance.now() - startMs)) * 100;
    child.kill("SIGTERM");
    await once(child, "exit");
    const memory = `${mib(end.anonymousBytes)} anonymous, ${mib(end.rssBytes)} resident`;
    return `${name}: ${share.toFixed(3)} % of a core, ${memory}, ${end.processes} more processes`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const line of await Promise.all(peers.map(measure))) console.log(line);
