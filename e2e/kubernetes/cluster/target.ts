import { byMonitor } from "@sonde/testing/figures";
import type { Hook } from "../target/control.ts";
import type { Namespace } from "./namespace.ts";
import { type Reached, reach } from "./reach.ts";
import { podsReady } from "./wait.ts";

export interface ClusterTarget {
  /** Address for pods: `http://<cluster address>:8080`. */
  url: string;
  /** The same address with the DNS name. */
  namedUrl: string;
  hookUrl: string;
  /** Times of all requests by id, in epoch milliseconds. */
  arrivals(): Promise<Map<number, number[]>>;
  hooks(): Promise<Hook[]>;
  /** Fixes the state of `/flap/<id>`: healthy for even ids, failing for odd ones. False resumes the alternation. */
  settle(settled: boolean): Promise<void>;
  turn(id: number, isHealthy: boolean): Promise<void>;
}

const name = "target";
const ports = { checks: 8080, control: 8081 };

export const targetManifests = (image: string): object[] => {
  const labels = { "app.kubernetes.io/name": name };
  const security = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
  const container = {
    name,
    image,
    imagePullPolicy: "IfNotPresent",
    securityContext: security,
    ports: [{ containerPort: ports.checks }, { containerPort: ports.control }],
    readinessProbe: { httpGet: { path: "/healthz", port: ports.control }, periodSeconds: 2 },
    resources: { requests: { cpu: "20m", memory: "64Mi" }, limits: { memory: "384Mi" } },
  };
  const podSecurity = { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: "RuntimeDefault" } };
  const spec = { automountServiceAccountToken: false, securityContext: podSecurity, containers: [container] };
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name },
      spec: { selector: labels, ports: Object.entries(ports).map(([key, port]) => ({ name: key, port })) },
    },
  ];
};

export async function startTarget(namespace: Namespace, image: string): Promise<ClusterTarget> {
  await namespace.apply(...targetManifests(image));
  const { spec } = await namespace.service(name);
  await podsReady(namespace, `app.kubernetes.io/name=${name}`, 1);
  const control = await reach(namespace, name, "control");
  const ids: number[] = [];
  const timesMs: number[] = [];
  const get = async <Body>(path: string): Promise<Body> => (await (await fetch(urlOf(control) + path)).json()) as Body;
  const post = async (path: string) => void (await fetch(urlOf(control) + path, { method: "POST" }));
  return {
    url: `http://${spec.clusterIP}:${ports.checks}`,
    namedUrl: `http://${name}.${namespace.name}.svc:${ports.checks}`,
    hookUrl: `http://${spec.clusterIP}:${ports.control}/hook`,
    async arrivals() {
      const news = await get<{ ids: number[]; timesMs: number[] }>(`/arrivals?from=${ids.length}`);
      for (const id of news.ids) ids.push(id);
      for (const timeMs of news.timesMs) timesMs.push(timeMs);
      return byMonitor({ ids: Uint32Array.from(ids), timesMs: Float64Array.from(timesMs) });
    },
    hooks: () => get("/hooks"),
    settle: (settled) => post(settled ? "/settle" : "/settle/not"),
    turn: (id, isHealthy) => post(`/switch/${id}/${isHealthy ? "well" : "failing"}`),
  };
}

const urlOf = ({ host, port }: Reached) => `http://${host}:${port}`;
