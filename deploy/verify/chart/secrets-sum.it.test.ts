import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { resourcesIn } from "./golden.ts";
import { requiredOptions } from "./refusals.ts";
import { findProgram, renderChart } from "./tools.ts";

type Secrets = Record<string, { changedAt?: string; data: Record<string, string> }>;

const helm = await findProgram("helm");
let server: Server | undefined;
afterEach(() => server?.close());

const created = "2026-01-01T00:00:00Z";
const later = "2026-01-02T00:00:00Z";

async function discovery(): Promise<Record<string, unknown>> {
  const { stdout } = await renderChart(helm!, requiredOptions);
  const kinds = [{ apiVersion: "v1", kind: "Secret" }, ...resourcesIn(stdout)];
  const versions = [...new Set(kinds.map(({ apiVersion }) => apiVersion))];
  const lists = versions.map((groupVersion) => {
    const names = new Set(kinds.filter(({ apiVersion }) => apiVersion === groupVersion).map(({ kind }) => kind));
    const resources = [...names].map((kind) => ({
      name: `${kind.toLowerCase()}s`,
      namespaced: true,
      kind,
      verbs: ["get"],
    }));
    const path = groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    return [path, { kind: "APIResourceList", groupVersion, resources }] as const;
  });
  const groups = versions
    .filter((version) => version.includes("/"))
    .map((groupVersion) => {
      const [name, version] = groupVersion.split("/");
      return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
    });
  return {
    "/version": { major: "1", minor: "36", gitVersion: "v1.36.0" },
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": { kind: "APIGroupList", apiVersion: "v1", groups },
    ...Object.fromEntries(lists),
  };
}

async function startCluster(secrets: Secrets): Promise<string> {
  const responses = await discovery();
  for (const [name, { changedAt = created, data }] of Object.entries(secrets)) {
    const managedFields = [created, changedAt].map((time) => ({ manager: "setup", time }));
    const metadata = { name, namespace: "sonde", creationTimestamp: created, managedFields };
    responses[`/api/v1/namespaces/sonde/secrets/${name}`] = { apiVersion: "v1", kind: "Secret", metadata, data };
  }
  const missing = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };
  server = createServer(({ url = "" }, response) => {
    const body = responses[url.split("?")[0]!.replace(/\/$/, "")];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(body ?? missing));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function sums(secrets: Secrets): Promise<Record<string, string>> {
  const cluster = await startCluster(secrets);
  const args = ["--dry-run=server", "--disable-openapi-validation", "--kube-apiserver", cluster, ...requiredOptions];
  const { code, stdout, stderr } = await renderChart(helm!, args);
  server?.close();
  if (code !== 0) throw new Error(stderr);
  type Template = { template?: { metadata?: { annotations?: Record<string, string> } } };
  const pods = resourcesIn(stdout).map(({ metadata, spec }) => {
    const annotations = (spec as Template | undefined)?.template?.metadata?.annotations;
    return [metadata.name, annotations?.["checksum/secrets"]];
  });
  return Object.fromEntries(pods.filter(([, sum]) => sum !== undefined)) as Record<string, string>;
}

it.skipIf(helm === null)("only pods whose keys in a Secret of the chart changed are replaced", async () => {
  const passwords = { auth: "YQ==", monitors: "bQ==" };
  expect(await sums({})).toEqual({});
  expect(await sums({ "sonde-postgres": { data: passwords } })).toEqual({});

  const first = await sums({ "sonde-postgres": { data: passwords, changedAt: later } });
  const second = await sums({ "sonde-postgres": { data: { ...passwords, auth: "Yg==" }, changedAt: later } });
  expect(Object.keys(first).toSorted()).toEqual(
    ["agent-ingest", "auth", "monitors", "notifier", "status-page"].map((name) => `sonde-${name}`),
  );
  expect(Object.keys(second).filter((name) => first[name] !== second[name])).toEqual(["sonde-auth"]);
});
