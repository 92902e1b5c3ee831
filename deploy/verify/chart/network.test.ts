import { databaseServices, serviceNames } from "@sonde/proto/services";
import { expect, it } from "vitest";
import { examples } from "./golden.ts";
import { component, type End, mayConnect } from "./network.ts";

const renders = await examples();
/** Without helm, most examples cannot be rendered. */
const lacksHelm = !renders.has("small-cluster");
const render = (name: string) => renders.get(name) ?? [];
const production = render("production");
const small = render("small");
const cluster = render("small-cluster");
const gateways = render("httproute-monitoring");
const external = render("external");
const restored = render("restore");
const replicated = render("replicated-history");

const pod = (namespace: string, labels: Record<string, string> = {}): End => ({
  labels,
  namespace: { "kubernetes.io/metadata.name": namespace },
});
const cnpg: End = { labels: { "cnpg.io/cluster": "sonde-postgres" } };
const stranger = pod("shop");
const reached = (resources: typeof cluster, from: readonly string[], to: End, port: number) =>
  from.filter((name) => mayConnect(resources, component(name), to, port)).toSorted();
const components = [
  ...serviceNames,
  "setup",
  "test",
  "secrets",
  "postgres",
  "nats",
  "clickhouse",
  "clickhouse-keeper",
  "backup",
  "restore",
];

it.skipIf(lacksHelm)("allows only services with a database, setup and backups to reach PostgreSQL", () => {
  const allowed = [...databaseServices, "setup", "backup"].toSorted();
  expect(reached(cluster, components, component("postgres"), 5432)).toEqual(allowed);
  expect(reached(production, components, cnpg, 5432)).toEqual(allowed);
  expect(mayConnect(cluster, stranger, component("postgres"), 5432)).toBe(false);
});

it.skipIf(lacksHelm)(
  "keeps probe runners and the notifier, which connect to user-supplied addresses, from servers and other services",
  () => {
    for (const name of ["probe-runner", "notifier"]) {
      expect(mayConnect(cluster, component(name), "outside", 443)).toBe(true);
      expect(mayConnect(gateways, component(name), component("clickhouse"), 8123)).toBe(false);
      expect(mayConnect(cluster, component(name), component("agent-ingest"), 8081)).toBe(false);
    }
    expect(mayConnect(cluster, component("probe-runner"), component("postgres"), 5432)).toBe(false);
  },
);

it.skipIf(lacksHelm)("allows only backups to reach the history port of metrics, and a bucket if configured", () => {
  expect(reached(cluster, components, component("metrics"), 8082)).toEqual(["backup"]);
  expect(mayConnect(cluster, component("backup"), "outside", 443)).toBe(false);
  expect(mayConnect(production, component("backup"), "outside", 443)).toBe(true);
});

it.skipIf(lacksHelm)("allows the restore Job to reach the servers and the bucket, but no service", () => {
  expect(mayConnect(restored, component("restore"), component("postgres"), 5432)).toBe(true);
  expect(mayConnect(restored, component("restore"), "outside", 443)).toBe(true);
  expect(mayConnect(restored, component("restore"), component("nats"), 4222)).toBe(false);
  expect(mayConnect(restored, component("restore"), component("metrics"), 8082)).toBe(false);
});

it.skipIf(lacksHelm)("allows only metrics to reach ClickHouse", () => {
  expect(reached(gateways, components, component("clickhouse"), 8123)).toEqual(["metrics"]);
  expect(reached(external, ["metrics", "monitors", "gateway"], "outside", 8443)).toEqual(["metrics"]);
});

it.skipIf(lacksHelm)("allows only ClickHouse servers to reach each other and Keeper, and Keepers each other", () => {
  const history = component("clickhouse");
  const keeper = component("clickhouse-keeper");
  expect(reached(replicated, components, history, 8123)).toEqual(["metrics"]);
  expect(reached(replicated, components, history, 9009)).toEqual(["clickhouse"]);
  expect(reached(replicated, components, keeper, 9181)).toEqual(["clickhouse"]);
  expect(reached(replicated, components, keeper, 9234)).toEqual(["clickhouse-keeper"]);
  expect(reached(gateways, components, history, 9009)).toEqual([]);
  for (const from of [history, keeper]) expect(mayConnect(replicated, from, "outside", 443)).toBe(false);
});

it.skipIf(lacksHelm)("allows only services and setup to reach NATS", () => {
  expect(reached(cluster, components, component("nats"), 4222)).toEqual([...serviceNames, "setup"].toSorted());
  expect(mayConnect(cluster, stranger, component("nats"), 4222)).toBe(false);
});

it.skipIf(lacksHelm)("allows NATS members to reach each other if there are three", () => {
  expect(reached(production, components, component("nats"), 6222)).toEqual(["nats"]);
  expect(reached(cluster, components, component("nats"), 6222)).toEqual([]);
});

it.skipIf(lacksHelm)("allows discovery to reach only the gateway and the API server", () => {
  expect(mayConnect(gateways, component("discovery"), component("gateway"), 8080)).toBe(true);
  expect(mayConnect(gateways, component("discovery"), "outside", 6443)).toBe(true);
  expect(mayConnect(gateways, component("discovery"), "outside", 5432)).toBe(false);
  expect(mayConnect(gateways, component("discovery"), component("nats"), 4222)).toBe(false);
  expect(mayConnect(gateways, component("discovery"), component("agent-ingest"), 8081)).toBe(false);
});

it.skipIf(lacksHelm)("allows only KEDA to reach NATS' monitoring port, if it scales", () => {
  const keda = pod("keda", { app: "keda-operator" });
  expect(mayConnect(gateways, keda, component("nats"), 8222)).toBe(true);
  expect(mayConnect(gateways, stranger, component("nats"), 8222)).toBe(false);
  expect(mayConnect(cluster, keda, component("nats"), 8222)).toBe(false);
});

it.skipIf(lacksHelm)("allows only the gateway to reach agent-ingest if no Ingress routes agents to it", () => {
  expect(reached(cluster, components, component("agent-ingest"), 8081)).toEqual(["gateway"]);
  expect(mayConnect(cluster, stranger, component("agent-ingest"), 8081)).toBe(false);
});

it.skipIf(lacksHelm)("allows only the configured ingress controller and the gateway to reach agent-ingest", () => {
  expect(mayConnect(production, pod("ingress-nginx"), component("agent-ingest"), 8081)).toBe(true);
  expect(mayConnect(production, stranger, component("agent-ingest"), 8081)).toBe(false);
  expect(reached(production, components, component("agent-ingest"), 8081)).toEqual(["gateway"]);
});

it.skipIf(lacksHelm)(
  "allows users to reach the gateway through the configured controller, or from anywhere without one",
  () => {
    expect(mayConnect(production, pod("ingress-nginx"), component("gateway"), 8080)).toBe(true);
    expect(mayConnect(production, stranger, component("gateway"), 8080)).toBe(false);
    expect(mayConnect(cluster, "outside", component("gateway"), 8080)).toBe(true);
    expect(mayConnect(small, "outside", component("all-in-one"), 8080)).toBe(true);
  },
);

it.skipIf(lacksHelm)("allows helm test to reach only the gateway", () => {
  for (const resources of [production, cluster]) {
    expect(mayConnect(resources, component("test"), component("gateway"), 8080)).toBe(true);
    expect(mayConnect(resources, component("test"), component("nats"), 4222)).toBe(false);
    expect(mayConnect(resources, component("test"), "outside", 443)).toBe(false);
  }
  expect(mayConnect(small, component("test"), component("all-in-one"), 8080)).toBe(true);
});

it.skipIf(lacksHelm)("allows the Job that creates Secrets to reach the API server", () => {
  expect(reached(cluster, components, "outside", 6443)).toEqual(["auth", "notifier", "probe-runner", "secrets"]);
  expect(mayConnect(cluster, component("secrets"), component("postgres"), 5432)).toBe(false);
});

it.skipIf(lacksHelm)("allows DNS queries from all components", () => {
  for (const name of components) expect(mayConnect(cluster, component(name), pod("kube-system"), 53)).toBe(true);
});

it.skipIf(lacksHelm)("allows only the configured Prometheus to reach NATS' monitoring port", () => {
  expect(mayConnect(production, pod("monitoring"), component("nats"), 8222)).toBe(true);
  expect(mayConnect(production, stranger, component("nats"), 8222)).toBe(false);
  expect(mayConnect(cluster, pod("monitoring"), component("nats"), 8222)).toBe(false);
});

it.skipIf(lacksHelm)("allows only the configured clients to read the metrics of every service", () => {
  for (const name of serviceNames) {
    expect(mayConnect(production, pod("monitoring"), component(name), 9090)).toBe(true);
    expect(mayConnect(production, stranger, component(name), 9090)).toBe(false);
  }
});

it.skipIf(lacksHelm)("allows services to reach external servers and the trace collector only on their ports", () => {
  expect(reached(external, serviceNames, "outside", 6432)).toEqual(
    [...new Set([...databaseServices, "notifier", "probe-runner"])].toSorted(),
  );
  expect(mayConnect(external, component("monitors"), pod("observability"), 4318)).toBe(true);
  expect(mayConnect(external, component("monitors"), "outside", 443)).toBe(false);
});
