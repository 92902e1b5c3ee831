import { setTimeout as sleep } from "node:timers/promises";
import { type ClusterApi, ApiError } from "./api.ts";
import { command, type CommandOptions } from "./command.ts";
import type { Event, List, Meta, Pod, Service, Volume, Workload } from "./objects.ts";

export interface Namespace {
  name: string;
  api: ClusterApi;
  /** Excludes pods of finished jobs. */
  pods(selector?: string): Promise<Pod[]>;
  deployments(): Promise<Workload[]>;
  service(name: string): Promise<Service>;
  events(): Promise<Event[]>;
  secret(name: string): Promise<Record<string, string>>;
  apply(...manifests: object[]): Promise<void>;
  kubectl(...args: string[]): Promise<string>;
  helm(args: readonly string[], options?: CommandOptions): Promise<string>;
  /** Deletes the namespace with everything in it and releases its volumes for new claims. */
  remove(): Promise<void>;
}

const removeTimeoutMs = 180_000;

/** Creates a namespace that enforces Pod Security `restricted`, unless it exists. */
export async function createNamespace(api: ClusterApi, name: string): Promise<Namespace> {
  const level = "pod-security.kubernetes.io";
  await api
    .send("POST", "/api/v1/namespaces", {
      metadata: { name, labels: { [`${level}/enforce`]: "restricted", [`${level}/warn`]: "restricted" } },
    })
    .catch((error: unknown) => {
      // An earlier run created it.
      if (!(error instanceof ApiError && error.status === 409)) throw error;
    });
  return openNamespace(api, name);
}

export function openNamespace(api: ClusterApi, name: string): Namespace {
  const core = `/api/v1/namespaces/${name}`;
  const list = async <Item>(path: string) => (await api.get<List<Item>>(path)).items;
  return {
    name,
    api,
    async pods(selector = "") {
      const pods = await list<Pod>(`${core}/pods?labelSelector=${encodeURIComponent(selector)}`);
      return pods.filter(({ status }) => status.phase !== "Succeeded" && status.phase !== "Failed");
    },
    deployments: () => list<Workload>(`/apis/apps/v1/namespaces/${name}/deployments`),
    service: (service) => api.get<Service>(`${core}/services/${service}`),
    events: () => list<Event>(`${core}/events`),
    async secret(secret) {
      const { data } = await api.get<{ data: Record<string, string> }>(`${core}/secrets/${secret}`);
      return Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
      );
    },
    async apply(...manifests) {
      const input = JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests });
      await command("kubectl", ["-n", name, "apply", "-f", "-"], { input });
    },
    kubectl: (...args) => command("kubectl", ["-n", name, ...args]),
    helm: (args, options) => command("helm", [...args, "--namespace", name], options),
    async remove() {
      await api.send("DELETE", `/api/v1/namespaces/${name}`).catch(ignoreAbsent);
      for (let waitedMs = 0; waitedMs < removeTimeoutMs; waitedMs += 1000) {
        const left = await api.get<{ metadata: Meta }>(`/api/v1/namespaces/${name}`).catch(ignoreAbsent);
        if (left === undefined) return releaseVolumes(api, name);
        await sleep(1000);
      }
      throw new Error(`the namespace ${name} was not deleted in time`);
    },
  };
}

/** Releases volumes that a deleted namespace had bound, because a retained volume accepts no new claim. */
async function releaseVolumes(api: ClusterApi, namespace: string): Promise<void> {
  const { items } = await api.get<List<Volume>>("/api/v1/persistentvolumes");
  for (const { metadata, spec, status } of items) {
    if (status.phase !== "Released" || spec.claimRef?.namespace !== namespace) continue;
    await api.send("PATCH", `/api/v1/persistentvolumes/${metadata.name}`, { spec: { claimRef: null } });
  }
}

function ignoreAbsent(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}
