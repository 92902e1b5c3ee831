import { readdir } from "node:fs/promises";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { variablesOf } from "@sonde/kit/service/config";
import { loadConfigModule } from "@sonde/local/supervisor/processes";
import { serviceNames } from "@sonde/proto/services";
import * as discovery from "../../../services/discovery/src/config.ts";
import { expect, it } from "vitest";
import { examples, type Resource, tidy } from "./golden.ts";
import { installsIn } from "./readme.ts";
import { schemaFolder, schemaName } from "./schemas.ts";

type Container = { name: string; env?: { name: string; value?: string }[] };
type Workload = { template: { spec: { containers: Container[] } } };

const renders = await examples();
const secrets: Record<string, string> = {
  ...deriveKeys(Buffer.alloc(32).toString("base64")),
  DATABASE_URL: "postgres://user:password@host/sonde",
  NATS_URL: "nats://user:password@host:4222",
  CLICKHOUSE_URL: "http://user:password@host:8123/sonde",
  BACKUP_TOKEN: "a token of some length",
  SELF_WATCH_URL: "https://watch.example.com/sonde",
};
const environmentOf = ({ env = [] }: Container) =>
  Object.fromEntries(env.map(({ name, value }) => [name, value ?? secrets[name] ?? "from-a-secret"]));

it("has a schema for each kind in the examples", async () => {
  const schemas = await readdir(schemaFolder);
  const kinds = new Set([...renders.values()].flat().map(schemaName));

  expect([...kinds].filter((name) => !schemas.includes(name))).toEqual([]);
});

it("sets only variables that a service reads, with valid values", async () => {
  for (const [name, resources] of renders) {
    const deployments = resources.filter(({ kind }) => kind === "Deployment");
    for (const container of deployments.flatMap(({ spec }) => (spec as Workload).template.spec.containers)) {
      const service = serviceNames.find((each) => each === container.name);
      const { schema, readConfig } = service === undefined ? discovery : await loadConfigModule(service);
      const environment = environmentOf(container);
      const helpers = [
        "NATS_PASSWORD",
        "DATABASE_PASSWORD",
        "CLICKHOUSE_PASSWORD",
        "NATS_STREAM_REPLICAS",
        "SELF_WATCH_URL",
      ];
      const unread = Object.keys(environment).filter(
        (key) => !variablesOf(schema).includes(key) && !helpers.includes(key),
      );

      // The file exists only in a cluster.
      expect(() => readConfig({ ...environment, CA_FILE: undefined }), `${name}: ${container.name}`).not.toThrow();
      expect(unread, `${name}: ${container.name}`).toEqual([]);
    }
  }
});

it("finds helm install commands and their options in a text", () => {
  const text =
    "`helm install sonde charts/sonde -n sonde --create-namespace --set a=b`, or\n" +
    "helm install sonde charts/sonde -n sonde --wait \\\n  --set c=d -f e.yaml   # why\nhelm install nats nats/nats -n nats\n";

  expect(installsIn(text)).toEqual([
    ["--set", "a=b"],
    ["--set", "c=d", "-f", "e.yaml"],
  ]);
});

it("normalises a render, without embedded files and their checksums", () => {
  const config: Resource = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: { f: "x".repeat(2000) },
  };
  const text = `---\n# Source: sonde/templates/a.yaml\n${JSON.stringify(config)}\n---\n# nothing\n---\n# Source: sonde/templates/b.yaml\nkind: Pod\nmetadata: { annotations: { checksum/config: 12ab } }\n`;

  expect(tidy(text)).toBe(
    "# templates/a.yaml\n{ apiVersion: v1, kind: ConfigMap, metadata: { name: a }, data: { f: (a file of the chart) } }\n" +
      "---\n# templates/b.yaml\n{ kind: Pod, metadata: { annotations: { checksum/config: (of the configuration) } } }\n",
  );
});

it("names schemas like kubeconform", () => {
  expect(schemaName({ apiVersion: "v1", kind: "Pod" })).toBe("pod-v1.json");
  expect(schemaName({ apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute" })).toBe(
    "httproute-gateway-v1.json",
  );
});
