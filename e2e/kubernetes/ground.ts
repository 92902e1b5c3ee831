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

/** An installed Sonde, as it is reached from here. */
export interface Installed {
  namespace: Namespace;
  /** Of the gateway's Service. */
  url: string;
  setupCode: string;
  values: Record<string, unknown>;
  installSeconds: number;
}

/** What scenarios share: the cluster, and what earlier ones left in it. */
export interface Ground {
  options: Options;
  say(line: string): void;
  api: ClusterApi;
  /** The chart of a clean clone. */
  chart(): Promise<string>;
  /** A namespace of its own, removed in the end. */
  namespace(suffix: string): Promise<Namespace>;
  /** Removes one that is needed no more, so that the next has the machine to itself. */
  leave(suffix: string): Promise<void>;
  target(namespace: Namespace): Promise<ClusterTarget>;
  /** The distributed Sonde; installed by the first scenario that needs it. */
  sonde(): Promise<Installed>;
  admin(): Promise<Admin>;
  /** Whether namespaces are left for a look: asked for, or something did not hold. */
  keeps(): boolean;
  /** Stops it when the scenario ends, however it ends. */
  during<Running extends { stop(): Promise<void> }>(running: Running): Running;
  /** The scenario is over. */
  settle(): Promise<void>;
  /** A number that no scenario of this run got before, for names and keys. */
  next(): number;
  close(): Promise<void>;
}

const step = 100_000;

export async function openGround(options: Options, say: (line: string) => void): Promise<Ground> {
  const api = await openClusterApi();
  const run = options.reuse ?? `sonde-test-${randomBytes(2).toString("hex")}`;
  const namespaces = new Map<string, Promise<Namespace>>();
  const targets = new Map<string, Promise<ClusterTarget>>();
  let clone: ReturnType<typeof cloneChart> | undefined;
  const running: { stop(): Promise<void> }[] = [];
  let sonde: Promise<Installed> | undefined;
  // An earlier run has used the first names and keys.
  let given = options.reuse === undefined ? 0 : randomInt(1, 20_000) * step;

  const ground: Ground = {
    options,
    say,
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
      const known = namespaces.get(name) ?? createNamespace(api, name);
      namespaces.set(name, known);
      return known;
    },
    async leave(suffix) {
      const name = `${run}-${suffix}`;
      const known = await namespaces.get(name);
      if (known === undefined || ground.keeps()) return;
      await known.remove();
      namespaces.delete(name);
      targets.delete(name);
      sonde = undefined;
    },
    keeps: () => options.keep,
    target(namespace) {
      const known = targets.get(namespace.name) ?? startTarget(namespace, options.target);
      targets.set(namespace.name, known);
      return known;
    },
    sonde: () => (sonde ??= ground.namespace("main").then((namespace) => findOrInstall(ground, namespace))),
    async admin() {
      const { url, setupCode } = await ground.sonde();
      return adminOf(url, setupCode);
    },
    next: () => (given += step),
    async close() {
      const keep = ground.keeps();
      for (const namespace of namespaces.values()) {
        const { name, remove } = await namespace;
        if (keep) say(`the namespace ${name} is left for a look; delete it and free its volumes yourself`);
        else await remove();
      }
      api.close();
      if (clone !== undefined) await rm((await clone).folder, { recursive: true, force: true });
    },
  };
  return ground;
}

async function findOrInstall(ground: Ground, namespace: Namespace): Promise<Installed> {
  const known = ground.options.reuse !== undefined && (await namespace.helm(["list", "--short"])).includes(release);
  if (!known) return install(ground, namespace);
  const values = ofItsMode(overlay(smallValues(ground.options), ground.options.values));
  return { namespace, values, installSeconds: Number.NaN, ...(await whereabouts(ground, namespace, values)) };
}

/** Installs with the small values and answers where it is reached. */
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
  ground.say(`installing into ${namespace.name} …`);
  const beganMs = performance.now();
  await installChart(namespace, "install", chart, values);
  const installSeconds = (performance.now() - beganMs) / 1000;
  return { namespace, values, installSeconds, ...(await whereabouts(ground, namespace, values)) };
}

/** Where an installation is reached, and its setup code. */
export async function whereabouts(ground: Ground, namespace: Namespace, values: Record<string, unknown>) {
  const service = values.mode === "all-in-one" ? fullname : `${fullname}-gateway`;
  const { host, port, isDirect } = await reach(namespace, service, "http");
  if (!isDirect) {
    ground.say(
      "Services cannot be reached from here: kubectl port-forward stands in, and rows about Services say less",
    );
  }
  const { "setup-code": setupCode = "" } = await namespace.secret(`${fullname}-app`);
  return { url: `http://${host}:${port}`, setupCode };
}
