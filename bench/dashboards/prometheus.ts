import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@sonde/kit/embedded/free-port";
import { debianProgram } from "../peers/debian.ts";

type Answer = { status: string; error?: string; data?: { result: unknown[] } };
export type Prometheus = {
  /** How many series a query has now. @throws Error with Prometheus' own words where it is none */
  count(query: string): Promise<number>;
  /** The alerts that are pending or fire. */
  alerts(): Promise<string[]>;
  stop(): Promise<void>;
};

/** What `/api/metrics` of a Sonde is scraped with. */
export type Watched = { url: string; secret: string };

/** Starts a Prometheus that scrapes these ports and what is watched every two seconds, and knows the chart's alerts. */
export async function startPrometheus(
  folder: string,
  targets: ReadonlyMap<string, number>,
  rules: string,
  { url, secret }: Watched,
) {
  const port = await freePort();
  const jobs = [...targets].map(
    ([name, ops]) =>
      `{job_name: ${name}, static_configs: [{targets: ["127.0.0.1:${ops}"], labels: {component: ${name}}}]}`,
  );
  const authorization = `authorization: {credentials: "${secret}"}`;
  jobs.push(
    `{job_name: sonde, metrics_path: /api/metrics, ${authorization}, static_configs: [{targets: ["${new URL(url).host}"]}]}`,
  );
  const config = `global: {scrape_interval: 2s, evaluation_interval: 2s}\nrule_files: ["${rules}"]\nscrape_configs: [${jobs.join(", ")}]\n`;
  await writeFile(join(folder, "prometheus.yml"), config);
  const child: ChildProcess = spawn(
    await debianProgram("prometheus"),
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "prometheus")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  await once(child, "spawn");
  const ask = async (path: string): Promise<Answer> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).json() as Promise<Answer>;
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await sleep(200);
  const prometheus: Prometheus = {
    async count(query) {
      const { status, error, data } = await ask(`/api/v1/query?query=${encodeURIComponent(query)}`);
      if (status !== "success") throw new Error(`${error}: ${query}`);
      return data?.result.length ?? 0;
    },
    async alerts() {
      const { data } = (await ask("/api/v1/alerts")) as {
        data?: { alerts: { labels: Record<string, string>; state: string }[] };
      };
      return (data?.alerts ?? []).map(
        ({ labels, state }) => `${labels["alertname"]} ${labels["service"] ?? ""} (${state})`,
      );
    },
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
  return prometheus;
}
