import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { command } from "../cluster/command.ts";
import type { Namespace } from "../cluster/namespace.ts";

const main = resolve(import.meta.dirname, "../../../services/discovery/src/main.ts");
type KubeConfig = { clusters: { cluster: Record<string, string> }[] };

async function kubeConfigOf(namespace: Namespace, account: string, server?: string): Promise<object> {
  const token = (await namespace.kubectl("create", "token", account)).trim();
  const shown = await command("kubectl", ["config", "view", "--raw", "--minify", "--flatten", "-o", "json"]);
  const [first] = (JSON.parse(shown) as KubeConfig).clusters;
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "here", cluster: { ...first?.cluster, ...(server !== undefined && { server }) } }],
    users: [{ name: "account", user: { token } }],
    contexts: [{ name: "here", context: { cluster: "here", user: "account" } }],
    "current-context": "here",
  };
}

export type DiscoveryProcess = { stop(): Promise<void>; output(): string };

/** Runs discovery from the sources with the permissions of a service account. */
export async function startDiscoveryProcess(
  namespace: Namespace,
  account: string,
  variables: Record<string, string>,
  server?: string,
): Promise<DiscoveryProcess> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-discovery-"));
  const file = join(folder, "config.json");
  await writeFile(file, JSON.stringify(await kubeConfigOf(namespace, account, server)), { mode: 0o600 });
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env["PATH"], KUBECONFIG: file, DISCOVERY_NAMESPACES: namespace.name, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  return {
    output: () => output,
    async stop() {
      child.kill("SIGTERM");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
