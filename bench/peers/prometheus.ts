import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@sonde/embedded/free-port";
import { debianProgram } from "./debian.ts";
import type { System } from "./system.ts";

/** Prometheus requests a check of each target from blackbox_exporter, and stores the result. */
export const prometheus: System = {
  name: "Prometheus and blackbox_exporter",
  counts: "both processes, as Debian packages them, with their own settings",
  async start({ port, count, intervalSeconds }) {
    const programs = [await debianProgram("prometheus"), await debianProgram("prometheus-blackbox-exporter")] as const;
    const folder = await mkdtemp(join(tmpdir(), "sonde-bench-peers-"));
    const [prometheusPort, blackboxPort] = [await freePort(), await freePort()];
    const targets = Array.from({ length: count }, (_, index) => `http://127.0.0.1:${port}/ok/${index + 1}`);
    // Both files are YAML, which includes JSON.
    await writeFile(
      join(folder, "blackbox.yml"),
      JSON.stringify({ modules: { http_2xx: { prober: "http", http: { preferred_ip_protocol: "ip4" } } } }),
    );
    await writeFile(
      join(folder, "prometheus.yml"),
      JSON.stringify({
        global: { scrape_interval: `${intervalSeconds}s`, scrape_timeout: `${Math.min(10, intervalSeconds * 0.8)}s` },
        scrape_configs: [
          {
            job_name: "blackbox",
            metrics_path: "/probe",
            params: { module: ["http_2xx"] },
            static_configs: [{ targets }],
            relabel_configs: [
              { source_labels: ["__address__"], target_label: "__param_target" },
              { source_labels: ["__param_target"], target_label: "instance" },
              { target_label: "__address__", replacement: `127.0.0.1:${blackboxPort}` },
            ],
          },
        ],
      }),
    );
    const children = [
      begin(programs[1], [
        `--config.file=${join(folder, "blackbox.yml")}`,
        `--web.listen-address=127.0.0.1:${blackboxPort}`,
        "--log.level=error",
      ]),
      begin(programs[0], [
        `--config.file=${join(folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${prometheusPort}`,
        "--log.level=error",
      ]),
    ];
    const stop = async () => {
      await Promise.all(children.map(end));
      await rm(folder, { recursive: true, force: true });
    };
    try {
      for (const address of [`127.0.0.1:${blackboxPort}/-/healthy`, `127.0.0.1:${prometheusPort}/-/ready`]) {
        await waitUntilReady(`http://${address}`, children);
      }
    } catch (fault) {
      await stop();
      throw fault;
    }
    return { pids: children.map(({ pid }) => pid ?? 0), stop };
  },
};

function begin(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  child.on("error", () => {}); // `waitUntilReady` reports a process that does not start.
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

/** Waits until a URL responds with 200. @throws Error if one of the processes has exited */
async function waitUntilReady(url: string, children: readonly ChildProcess[]): Promise<void> {
  const isWell = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isWell())) {
    if (children.some(({ pid, exitCode }) => pid === undefined || exitCode !== null))
      throw new Error("Prometheus or the blackbox_exporter ended before it was ready");
    await sleep(200);
  }
}
