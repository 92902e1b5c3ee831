import { describe, expect, it } from "vitest";
import { examples, type Resource } from "./golden.ts";

type Labels = Record<string, string>;
type Reference = { name: string; key: string };
type Container = {
  name: string;
  image: string;
  ports?: { name: string }[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: Reference } }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: Record<string, unknown>;
};
type PodSpec = {
  containers: Container[];
  initContainers?: Container[];
  automountServiceAccountToken?: boolean;
  securityContext?: Record<string, unknown>;
};
type Pod = { of: string; labels: Labels; spec: PodSpec };
type Target = { kind: string; name: string };

const renders = await examples();

const of = (resources: readonly Resource[], ...kinds: string[]) => resources.filter(({ kind }) => kinds.includes(kind));
const spec = <T>(resource: Resource) => resource.spec as T;

function podsOf(resources: readonly Resource[]): Pod[] {
  const alone = of(resources, "Pod").map((pod) => ({
    of: pod.metadata.name,
    labels: pod.metadata.labels ?? {},
    spec: spec<PodSpec>(pod),
  }));
  const made = of(resources, "Deployment", "StatefulSet", "Job").map((resource) => {
    const { template } = spec<{ template: { metadata: { labels: Labels }; spec: PodSpec } }>(resource);
    return { of: resource.metadata.name, labels: template.metadata.labels, spec: template.spec };
  });
  const scheduled = of(resources, "CronJob").map((resource) => {
    const { template } = spec<{ jobTemplate: { spec: { template: { metadata: { labels: Labels }; spec: PodSpec } } } }>(
      resource,
    ).jobTemplate.spec;
    return { of: resource.metadata.name, labels: template.metadata.labels, spec: template.spec };
  });
  return [...alone, ...made, ...scheduled];
}

const selected = (pods: readonly Pod[], selector: Labels) =>
  pods.filter(({ labels }) => Object.entries(selector).every(([key, value]) => labels[key] === value));

describe.each([...renders])("the example %s", (name, resources) => {
  const pods = podsOf(resources);
  const containers = pods.flatMap((pod) => [...pod.spec.containers, ...(pod.spec.initContainers ?? [])]);

  it("pulls each image from an explicit registry, or from global.imageRegistry if set", () => {
    const registry = name === "air-gapped" ? "registry\\.example\\.com" : "(registry\\.example\\.com|docker\\.io)";
    for (const { image } of containers) expect(image).toMatch(new RegExp(`^${registry}/[a-z-]+/[a-z-]+:`));
  });

  it("sets each variable of a container once, because `env` replaces the chart's value", () => {
    for (const { name: container, env = [] } of containers) {
      const names = env.map((variable) => variable.name);
      expect(names, container).toEqual([...new Set(names)]);
    }
  });

  it("has unique resource names per kind", () => {
    const names = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("has pods that listen on the ports of each Service", () => {
    for (const service of of(resources, "Service")) {
      const { selector, ports } = spec<{ selector: Labels; ports: { targetPort: string }[] }>(service);
      for (const { targetPort } of ports) {
        const listening = selected(pods, selector).filter((pod) =>
          pod.spec.containers.some((container) => container.ports?.some(({ name }) => name === targetPort)),
        );
        expect(listening, `${service.metadata.name}: ${targetPort}`).not.toEqual([]);
      }
    }
  });

  it("routes users and agents to existing Services and ports", () => {
    const services = new Map(of(resources, "Service").map((service) => [service.metadata.name, service]));
    const backends = of(resources, "Ingress", "HTTPRoute").flatMap((resource) => backendsOf(resource));
    for (const { name, port } of backends) {
      const ports = spec<{ ports: { port: number }[] }>(services.get(name)!).ports.map((one) => one.port);
      expect(ports, name).toContain(port);
    }
  });

  it("sets the number of replicas only without an autoscaler", () => {
    const targets = of(resources, "HorizontalPodAutoscaler", "ScaledObject").map(
      (scaler) => spec<{ scaleTargetRef: Target }>(scaler).scaleTargetRef.name,
    );
    const deployments = of(resources, "Deployment");
    const withoutNumber = deployments.filter((one) => spec<{ replicas?: number }>(one).replicas === undefined);

    expect(withoutNumber.map(({ metadata }) => metadata.name).toSorted()).toEqual(targets.toSorted());
  });

  it("has pods for each disruption budget", () => {
    for (const budget of of(resources, "PodDisruptionBudget")) {
      const { selector } = spec<{ selector: { matchLabels: Labels } }>(budget);
      expect(selected(pods, selector.matchLabels), budget.metadata.name).not.toEqual([]);
    }
  });

  it("creates every key of its own Secrets that a container reads", () => {
    const made = containers
      .flatMap(({ env = [] }) => env)
      .filter(({ name }) => name === "SECRETS")
      .map(({ value }) => JSON.parse(value!) as Record<string, Record<string, string>>)[0];
    const references = containers.flatMap(({ env = [] }) => env.flatMap((one) => one.valueFrom?.secretKeyRef ?? []));
    const own = references.filter(({ name }) => /^sonde-(app|service-keys|test|nats|postgres|clickhouse)$/.test(name));

    expect(own.filter(({ name, key }) => made?.[name]?.[key] === undefined)).toEqual([]);
  });

  it("runs pods at the Pod Security level restricted, with a read-only root and resource requests", () => {
    for (const pod of pods) {
      expect(pod.spec.securityContext, pod.of).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(pod.spec.automountServiceAccountToken, pod.of).toBe(["sonde-secrets", "sonde-discovery"].includes(pod.of));
    }
    for (const container of containers) {
      expect(container.securityContext, container.name).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(Object.keys(container.resources?.requests ?? {}), container.name).toEqual(
        expect.arrayContaining(["cpu", "memory"]),
      );
    }
  });
});

function backendsOf(resource: Resource): { name: string; port: number }[] {
  if (resource.kind === "HTTPRoute") {
    return spec<{ rules: { backendRefs: { name: string; port: number }[] }[] }>(resource).rules.flatMap(
      ({ backendRefs }) => backendRefs,
    );
  }
  type Path = { backend: { service: { name: string; port: { number: number } } } };
  return spec<{ rules: { http: { paths: Path[] } }[] }>(resource).rules.flatMap(({ http }) =>
    http.paths.map(({ backend: { service } }) => ({ name: service.name, port: service.port.number })),
  );
}

it("routes /agent/ directly to agent-ingest in distributed mode, and everything to one Service in all-in-one mode", () => {
  const find = (name: string, kind: string) => of(renders.get(name)!, kind)[0]!;
  type Rules = { rules: { http: { paths: { path: string; backend: { service: { name: string } } }[] } }[] };
  const paths = (ingress: Resource) =>
    spec<Rules>(ingress).rules[0]!.http.paths.map(({ path, backend }) => [path, backend.service.name]);

  expect(paths(find("production", "Ingress"))).toEqual([
    ["/agent/", "sonde-agent-ingest"],
    ["/", "sonde-gateway"],
  ]);
  expect(paths(find("small", "Ingress"))).toEqual([["/", "sonde"]]);
});

it.skipIf(!renders.has("httproute-monitoring"))("routes /agent/ and event streams with an HTTPRoute", () => {
  const [route] = of(renders.get("httproute-monitoring")!, "HTTPRoute");
  expect(backendsOf(route!).map(({ name }) => name)).toEqual([
    "sonde-gateway", // Event streams, which have no timeout.
    "sonde-agent-ingest",
    "sonde-gateway",
  ]);
});
