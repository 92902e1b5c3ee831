import { describe, expect, it } from "vitest";
import { examples, type Resource } from "./golden.ts";

type Container = { name: string; env: { name: string; value?: string; valueFrom?: unknown }[]; lifecycle?: unknown };
type PodSpec = Record<string, unknown> & { containers: Container[]; securityContext: Record<string, unknown> };
type Workload = { revisionHistoryLimit: number; template: { spec: PodSpec } };

const renders = await examples();
const [production, external, openshift] = ["production", "external", "openshift"].map((name) => renders.get(name));
const workloads = (resources: Resource[] = []) =>
  resources.filter(({ kind }) => ["Deployment", "StatefulSet"].includes(kind));
const find = (resources: Resource[] | undefined, kind: string, name: string) =>
  resources!.find((one) => one.kind === kind && one.metadata.name === name)!;
const podOf = (resource: Resource) => (resource.spec as unknown as Workload).template.spec;
const variables = (resource: Resource) =>
  Object.fromEntries(
    podOf(resource).containers[0]!.env.map(({ name, value, valueFrom }) => [name, value ?? valueFrom]),
  );

describe("pods", () => {
  it.skipIf(openshift === undefined)("set no user or group on OpenShift, but remain restricted", () => {
    for (const resource of workloads(openshift)) {
      const { securityContext } = podOf(resource);
      expect(Object.keys(securityContext), resource.metadata.name).toEqual([
        "fsGroupChangePolicy",
        "runAsNonRoot",
        "seccompProfile",
      ]);
    }
  });

  it.skipIf(openshift === undefined)("merge containerSecurityContext with the chart's settings", () => {
    const pod = podOf(find(openshift, "StatefulSet", "sonde"));
    expect(pod.containers[0]).toMatchObject({
      securityContext: { capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] }, readOnlyRootFilesystem: true },
    });
  });

  it("use all configured pull Secrets", () => {
    for (const resource of workloads(external)) {
      const names = ["regcred", "regcred-mirror", "company"].map((name) => ({ name }));
      expect(podOf(resource)["imagePullSecrets"], resource.metadata.name).toEqual(names);
    }
  });

  it("have the hosts of defaults.hostAliases", () => {
    const aliases = [{ ip: "10.0.0.5", hostnames: ["db.example.com"] }];
    for (const resource of workloads(external)) expect(podOf(resource)["hostAliases"]).toEqual(aliases);
  });

  it("use lifecycle hooks of the values instead of the chart's", () => {
    const lifecycleOf = (name: string) => podOf(find(external, "Deployment", name)).containers[0]!.lifecycle;
    expect(lifecycleOf("sonde-gateway")).toEqual({ preStop: { sleep: { seconds: 10 } } });
    expect(lifecycleOf("sonde-agent-ingest")).toEqual({ preStop: { sleep: { seconds: 5 } } });
  });
});

describe("Deployments", () => {
  it.skipIf(openshift === undefined)("keep revisionHistoryLimit revisions", () => {
    for (const resource of workloads(openshift))
      expect((resource.spec as unknown as Workload).revisionHistoryLimit, resource.metadata.name).toBe(3);
  });

  it("have the annotations of the values", () => {
    const { annotations } = find(production, "Deployment", "sonde-auth").metadata;
    expect(annotations).toEqual({ "reloader.stakater.com/auto": "true" });
  });
});

it("only auth gets the oidc settings, with the client secret from a Secret", () => {
  expect(variables(find(production, "Deployment", "sonde-auth"))).toMatchObject({
    OIDC_ISSUER: "https://login.example.com",
    OIDC_CLIENT_ID: "sonde",
    OIDC_CLIENT_SECRET: { secretKeyRef: { name: "sonde-login", key: "client-secret" } },
    OIDC_ROLES: '{"dev":"user","ops":"admin"}',
  });
  const others = workloads(production).filter(({ metadata }) => metadata.name !== "sonde-auth");
  for (const resource of others) expect(Object.keys(variables(resource))).not.toContain("OIDC_ISSUER");
});

it("targetMemory adds a memory metric, and replicas are removed one at a time", () => {
  const { spec } = find(production, "HorizontalPodAutoscaler", "sonde-gateway");
  expect(spec).toMatchObject({
    metrics: [
      { resource: { name: "cpu" } },
      { resource: { name: "memory", target: { type: "AverageValue", averageValue: "300Mi" } } },
    ],
    behavior: { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } },
  });
});

it("the gateway's Service has the configured node port", () => {
  expect(find(external, "Service", "sonde-gateway").spec!["ports"]).toEqual([
    { name: "http", port: 80, targetPort: "http", nodePort: 30080 },
  ]);
});

it.skipIf(openshift === undefined)("additional Ingress paths precede Sonde's", () => {
  const { spec } = find(openshift, "Ingress", "sonde");
  const [rule] = spec!["rules"] as { http: { paths: { path: string; pathType: string }[] } }[];
  expect(rule!.http.paths.map(({ path, pathType }) => [path, pathType])).toEqual([
    ["/status", "Exact"],
    ["/", "ImplementationSpecific"],
  ]);
});
