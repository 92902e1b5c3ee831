import { randomBytes, randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { type ClusterApi, openClusterApi } from "./cluster/api.ts";
import { createNamespace, type Namespace } from "./cluster/namespace.ts";
import { reach } from "./cluster/reach.ts";
import { type ClusterTarget, startTarget } from "./cluster/target.ts";
import type { Options } from "./options.ts";
import { cloneChart, fullname, installChart, overlay, release } from "./sonde/chart.ts";
import { type Admin, adminOf } from "./sonde/account.ts";
import { ofItsMode, smallValues, testAccount } from "./sonde/values.ts";

export interface Installed {
  namespace: Namespace;
  url: string;
  setupCode: string;
  values: Record<string, unknown>;
  installSeconds: number;
}

export interface Ground {
  options: Options;
  log(line: string): void;
  api: ClusterApi;
  /** The chart of a clean clone. */
  chart(): Promise<string>;
  /** Creates or returns a namespace of this run, which is removed at the end. */
  namespace(suffix: string): Promise<Namespace>;
  /** Removes a namespace early, to free the machine for the next one. */
  leave(suffix: string): Promise<void>;
  target(namespace: Namespace): Promise<ClusterTarget>;
  /** The distributed installation. The first scenario that needs it installs it. */
  sonde(): Promise<Installed>;
  admin(): Promise<Admin>;
  /** Whether namespaces are kept for inspection: on request, or after a failed row. */
  keeps(): boolean;
  /** Stops `running` when the scenario ends or fails. */
  during<Running extends { stop(): Promise<void> }>(running: Running): Running;
  settle(): Promise<void>;
  /** Returns a base for names and keys that is unique within the run. */
  next(): number;
  close(): Promise<void>;
}

const step = 100_000;

export async function openGround(options: Options, log: (line: string) => void): Promise<Ground> {
  const api = await openClusterApi();
  const run = options.reuse ?? `sonde-test-${randomBytes(2).toString("hex")}`;
  const namespaces = new Map<string, Promise<Namespace>>();
  const targets = new Map<string, Promise<ClusterTarget>>();
  let clone: ReturnType<typeof cloneChart> | undefined;
  const running: { stop(): Promise<void> }[] = [];
  let sonde: Promise<Installed> | undefined;
  // An earlier run has used the first numbers.
  let last = options.reuse === undefined ? 0 : randomInt(1, 20_000) * step;

  const ground: Ground = {
    options,
    log,
    api,
    chart: async () => (await (clone ??= cloneChart())).chart,
    during(one) {
      running.push(one);
      return one;
    },
    async settle() {
      const left = running.splice(0);
      await Promise.all(left.map((one) => one.stop().catch(() => {})));
    },
    namespace(suffix) {
      const name = `${run}-${suffix}`;
      const namespace = namespaces.get(name) ?? createNamespace(api, name);
      namespaces.set(name, namespace);
      return namespace;
    },
    async leave(suffix) {
      const name = `${run}-${suffix}`;
      const existing = await namespaces.get(name);
      if (existing === undefined || ground.keeps()) return;
      await existing.remove();
      namespaces.delete(name);
      targets.delete(name);
      sonde = undefined;
    },
    keeps: () => options.keep,
    target(namespace) {
      const started = targets.get(namespace.name) ?? startTarget(namespace, options.target);
      targets.set(namespace.name, started);
      return started;
    },
    sonde: () => (sonde ??= ground.namespace("main").then((namespace) => findOrInstall(ground, namespace))),
    async admin() {
      const { url, setupCode } = await ground.sonde();
      return adminOf(url, setupCode);
    },
    next: () => (last += step),
    async close() {
      const keep = ground.keeps();
      for (const namespace of namespaces.values()) {
        const { name, remove } = await namespace;
        if (keep) log(`the namespace ${name} is kept for inspection; delete it and release its volumes yourself`);
        else await remove();
      }
      api.close();
      if (clone !== undefined) await rm((await clone).folder, { recursive: true, force: true });
    },
  };
  return ground;
}

async function findOrInstall(ground: Ground, namespace: Namespace): Promise<Installed> {
  const exists = ground.options.reuse !== undefined && (await namespace.helm(["list", "--short"])).includes(release);
  if (!exists) return install(ground, namespace);
  const values = ofItsMode(overlay(smallValues(ground.options), ground.options.values));
  return { namespace, values, installSeconds: Number.NaN, ...(await locate(ground, namespace, values)) };
}

export async function install(
  ground: Ground,
  namespace: Namespace,
  over: Record<string, unknown> = {},
): Promise<Installed> {
  const values = ofItsMode(overlay(overlay(smallValues(ground.options), ground.options.values), over));
  const { secret, username, password } = testAccount;
  await namespace.apply({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secret },
    stringData: { username, password },
  });
  const chart = await ground.chart();
  ground.log(`installing into ${namespace.name} …`);
  const beganMs = performance.now();
  await installChart(namespace, "install", chart, values);
  const installSeconds = (performance.now() - beganMs) / 1000;
  return { namespace, values, installSeconds, ...(await locate(ground, namespace, values)) };
}

export async function locate(ground: Ground, namespace: Namespace, values: Record<string, unknown>) {
  const service = values.mode === "all-in-one" ? fullname : `${fullname}-gateway`;
  const { host, port, isDirect } = await reach(namespace, service, "http");
  if (!isDirect) {
    ground.log(
      "Services are unreachable from here: using kubectl port-forward, which makes rows about Services less meaningful",
    );
  }
  const { "setup-code": setupCode = "" } = await namespace.secret(`${fullname}-app`);
  return { url: `http://${host}:${port}`, setupCode };
}
