import { databaseServices, serviceNames } from "@sonde/proto/services";
import { expect, it } from "vitest";
import { examples } from "./golden.ts";
import { component, type End, mayConnect } from "./network.ts";

const renders = await examples();
/** Most examples are not in the repository as renders. */
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
const everybody = [
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

it.skipIf(lacksHelm)(
  "lets only the services with a database, what makes their roles, and backups reach PostgreSQL",
  () => {
    const allowed = [...databaseServices, "setup", "backup"].toSorted();
    expect(reached(cluster, everybody, component("postgres"), 5432)).toEqual(allowed);
    expect(reached(production, everybody, cnpg, 5432)).toEqual(allowed);
    expect(mayConnect(cluster, stranger, component("postgres"), 5432)).toBe(false);
  },
);

it.skipIf(lacksHelm)(
  "keeps probe runners and the notifier, which connect to what people name, from servers and other services",
  () => {
    for (const name of ["probe-runner", "notifier"]) {
      expect(mayConnect(cluster, component(name), "outside", 443)).toBe(true);
      expect(mayConnect(gateways, component(name), component("clickhouse"), 8123)).toBe(false);
      expect(mayConnect(cluster, component(name), component("agent-ingest"), 8081)).toBe(false);
    }
    expect(mayConnect(cluster, component("probe-runner"), component("postgres"), 5432)).toBe(false);
  },
);

it.skipIf(lacksHelm)("lets backups alone reach the history of metrics, and a bucket where there is one", () => {
  expect(reached(cluster, everybody, component("metrics"), 8082)).toEqual(["backup"]);
  expect(mayConnect(cluster, component("backup"), "outside", 443)).toBe(false);
  expect(mayConnect(production, component("backup"), "outside", 443)).toBe(true);
});

it.skipIf(lacksHelm)("lets the Job of a restore reach the servers and the bucket, and no service", () => {
  expect(mayConnect(restored, component("restore"), component("postgres"), 5432)).toBe(true);
  expect(mayConnect(restored, component("restore"), "outside", 443)).toBe(true);
  expect(mayConnect(restored, component("restore"), component("nats"), 4222)).toBe(false);
  expect(mayConnect(restored, component("restore"), component("metrics"), 8082)).toBe(false);
});

it.skipIf(lacksHelm)("lets metrics alone reach ClickHouse", () => {
  expect(reached(gateways, everybody, component("clickhouse"), 8123)).toEqual(["metrics"]);
  expect(reached(external, ["metrics", "monitors", "gateway"], "outside", 8443)).toEqual(["metrics"]);
});

it.skipIf(lacksHelm)(
  "lets the two ClickHouse servers alone reach each other and Keeper, and Keepers each other",
  () => {
    const history = component("clickhouse");
    const keeper = component("clickhouse-keeper");
    expect(reached(replicated, everybody, history, 8123)).toEqual(["metrics"]);
    expect(reached(replicated, everybody, history, 9009)).toEqual(["clickhouse"]);
    expect(reached(replicated, everybody, keeper, 9181)).toEqual(["clickhouse"]);
    expect(reached(replicated, everybody, keeper, 9234)).toEqual(["clickhouse-keeper"]);
    expect(reached(gateways, everybody, history, 9009)).toEqual([]);
    for (const from of [history, keeper]) expect(mayConnect(replicated, from, "outside", 443)).toBe(false);
  },
);

it.skipIf(lacksHelm)("lets all services and the setup reach NATS, and nothing else", () => {
  expect(reached(cluster, everybody, component("nats"), 4222)).toEqual([...serviceNames, "setup"].toSorted());
  expect(mayConnect(cluster, stranger, component("nats"), 4222)).toBe(false);
});

it.skipIf(lacksHelm)("lets members of NATS reach each other where there are three", () => {
  expect(reached(production, everybody, component("nats"), 6222)).toEqual(["nats"]);
  expect(reached(cluster, everybody, component("nats"), 6222)).toEqual([]);
});

it.skipIf(lacksHelm)(
  "lets discovery reach the gateway and the API server, where there is one, and nothing else of Sonde",
  () => {
    expect(mayConnect(gateways, component("discovery"), component("gateway"), 8080)).toBe(true);
    expect(mayConnect(gateways, component("discovery"), "outside", 6443)).toBe(true);
    expect(mayConnect(gateways, component("discovery"), "outside", 5432)).toBe(false);
    expect(mayConnect(gateways, component("discovery"), component("nats"), 4222)).toBe(false);
    expect(mayConnect(gateways, component("discovery"), component("agent-ingest"), 8081)).toBe(false);
  },
);

it.skipIf(lacksHelm)("lets KEDA alone read the bus's figures, where it scales", () => {
  const keda = pod("keda", { app: "keda-operator" });
  expect(mayConnect(gateways, keda, component("nats"), 8222)).toBe(true);
  expect(mayConnect(gateways, stranger, component("nats"), 8222)).toBe(false);
  expect(mayConnect(cluster, keda, component("nats"), 8222)).toBe(false);
});

it.skipIf(lacksHelm)("lets the gateway alone reach agent-ingest where nothing leads agents past it", () => {
  expect(reached(cluster, everybody, component("agent-ingest"), 8081)).toEqual(["gateway"]);
  expect(mayConnect(cluster, stranger, component("agent-ingest"), 8081)).toBe(false);
});

it.skipIf(lacksHelm)("lets the named ingress controller and the gateway reach agent-ingest, and no other pod", () => {
  expect(mayConnect(production, pod("ingress-nginx"), component("agent-ingest"), 8081)).toBe(true);
  expect(mayConnect(production, stranger, component("agent-ingest"), 8081)).toBe(false);
  expect(reached(production, everybody, component("agent-ingest"), 8081)).toEqual(["gateway"]);
});

it.skipIf(lacksHelm)(
  "lets people in to the gateway: by the named controller, or from anywhere where none is named",
  () => {
    expect(mayConnect(production, pod("ingress-nginx"), component("gateway"), 8080)).toBe(true);
    expect(mayConnect(production, stranger, component("gateway"), 8080)).toBe(false);
    expect(mayConnect(cluster, "outside", component("gateway"), 8080)).toBe(true);
    expect(mayConnect(small, "outside", component("all-in-one"), 8080)).toBe(true);
  },
);

it.skipIf(lacksHelm)("lets helm test reach the gateway and nothing else", () => {
  for (const resources of [production, cluster]) {
    expect(mayConnect(resources, component("test"), component("gateway"), 8080)).toBe(true);
    expect(mayConnect(resources, component("test"), component("nats"), 4222)).toBe(false);
    expect(mayConnect(resources, component("test"), "outside", 443)).toBe(false);
  }
  expect(mayConnect(small, component("test"), component("all-in-one"), 8080)).toBe(true);
});

it.skipIf(lacksHelm)("lets the job that makes Secrets reach the API server, and no service do so", () => {
  expect(reached(cluster, everybody, "outside", 6443)).toEqual(["auth", "notifier", "probe-runner", "secrets"]);
  expect(mayConnect(cluster, component("secrets"), component("postgres"), 5432)).toBe(false);
});

it.skipIf(lacksHelm)("lets everybody ask for names", () => {
  for (const name of everybody) expect(mayConnect(cluster, component(name), pod("kube-system"), 53)).toBe(true);
});

it.skipIf(lacksHelm)("lets the named Prometheus alone reach NATS' monitoring port", () => {
  expect(mayConnect(production, pod("monitoring"), component("nats"), 8222)).toBe(true);
  expect(mayConnect(production, stranger, component("nats"), 8222)).toBe(false);
  expect(mayConnect(cluster, pod("monitoring"), component("nats"), 8222)).toBe(false);
});

it.skipIf(lacksHelm)("lets metrics be read by whom is named, of every service", () => {
  for (const name of serviceNames) {
    expect(mayConnect(production, pod("monitoring"), component(name), 9090)).toBe(true);
    expect(mayConnect(production, stranger, component(name), 9090)).toBe(false);
  }
});

it.skipIf(lacksHelm)("lets services reach external servers and the collector of traces by their ports alone", () => {
  expect(reached(external, serviceNames, "outside", 6432)).toEqual(
    [...new Set([...databaseServices, "notifier", "probe-runner"])].toSorted(),
  );
  expect(mayConnect(external, component("monitors"), pod("observability"), 4318)).toBe(true);
  expect(mayConnect(external, component("monitors"), "outside", 443)).toBe(false);
});
