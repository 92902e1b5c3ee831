import { setTimeout as sleep } from "node:timers/promises";
import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { parseAllDocuments } from "yaml";
import { command, tryCommand } from "../cluster/command.ts";
import type { Namespace } from "../cluster/namespace.ts";
import { until } from "../cluster/wait.ts";
import { ingress, route, routeDefinition, service } from "../discovery/objects.ts";
import { startDiscoveryProcess } from "../discovery/process.ts";
import type { Ground } from "../ground.ts";
import { lossless, type Row } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import { adminOf } from "../sonde/account.ts";

const account = "sonde-discovery";
const unreachableMs = 8_000;
const kinds = ["services", "ingresses.networking.k8s.io", "httproutes.gateway.networking.k8s.io"];
const [reading, writing] = [
  ["get", "list", "watch"],
  ["create", "update", "patch", "delete", "deletecollection"],
];

/** Applies only the chart's service account and Role. */
async function grantPermissions(ground: Ground, namespace: Namespace): Promise<void> {
  const set = `image.preloaded=true,discovery.enabled=true,discovery.existingSecret=key,discovery.namespaces={${namespace.name}}`;
  const args = ["template", "sonde", await ground.chart(), "--show-only", "templates/discovery.yaml", "--set", set];
  const rendered = parseAllDocuments(await namespace.helm(args)).map((one) => one.toJS() as { kind: string });
  await namespace.apply(...rendered.filter(({ kind }) => ["ServiceAccount", "Role", "RoleBinding"].includes(kind)));
}

/** Lists permissions that the account has but should not, or lacks. */
async function wrongPermissions({ name }: Namespace): Promise<string[]> {
  const as = `system:serviceaccount:${name}:${account}`;
  const may = async (verb: string, kind: string, place: string[]) =>
    (await tryCommand("kubectl", ["auth", "can-i", verb, kind, "--as", as, ...place])).output.trim() === "yes";
  const expectations = [
    ...kinds.flatMap((kind) => [...reading, ...writing].map((verb) => [verb, kind, ["-n", name]] as const)),
    ...["secrets", "configmaps", "pods", "endpoints"].map((kind) => ["get", kind, ["-n", name]] as const),
    ...kinds.map((kind) => ["list", kind, ["-n", "default"]] as const),
    ...kinds.map((kind) => ["list", kind, ["--all-namespaces"]] as const),
  ];
  const wrong: string[] = [];
  for (const [verb, kind, place] of expectations) {
    const should = kinds.includes(kind) && reading.includes(verb) && place[1] === name;
    if ((await may(verb, kind, [...place])) !== should) wrong.push(`${verb} ${kind} ${place.join(" ")}`);
  }
  return wrong;
}

export const discovery: Scenario = {
  name: "discovery",
  about: "annotated objects of the cluster are monitored with read-only permissions",
  async run(ground) {
    const namespace = await ground.namespace("discovery");
    const { name } = namespace;
    const existingUrl = ground.options.sonde;
    const url = existingUrl ?? (await ground.sonde()).url;
    const { api } = existingUrl === undefined ? await ground.admin() : await adminOf(existingUrl, "");
    const hadRoutes = (await tryCommand("kubectl", ["get", "crd", routeDefinition.metadata.name])).code === 0;
    if (!hadRoutes) await namespace.apply(routeDefinition);
    await grantPermissions(ground, namespace);
    const rows: Row[] = [
      lossless(
        "permissions of its Role",
        "get, list and watch of three kinds in one namespace",
        "checked",
        await wrongPermissions(namespace),
      ),
    ];

    const cluster = `e2e-${ground.next()}`;
    const source = `kubernetes/${cluster}`;
    const { key, secret } = await api.send<{ key: { id: string }; secret: string }>("POST", "/api/keys", {
      name: source,
      scopes: ["config", "read"],
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const variables = { SONDE_URL: url, SONDE_KEY: secret, DISCOVERY_NAME: cluster };
    const start = async (server?: string) =>
      ground.during(await startDiscoveryProcess(namespace, account, variables, server));
    const found = async (kind: string, object: string) => {
      const { monitors } = await api.get<{ monitors: Monitor[] }>("/api/monitors?pageSize=200");
      return monitors.find(({ managed }) => managed?.key === `${cluster}.${kind}.${name}.${object}`);
    };
    const seen = async (what: string, kind: string, object: string, is: (monitor: Monitor) => boolean) => {
      const beganMs = performance.now();
      const monitor = await until(
        what,
        async () => {
          const one = await found(kind, object);
          return one !== undefined && is(one) ? one : undefined;
        },
        30_000,
      );
      return { monitor, seconds: ((performance.now() - beganMs) / 1000).toFixed(1) };
    };
    const row = (what: string, { monitor, seconds }: Awaited<ReturnType<typeof seen>>) =>
      rows.push(lossless(what, "within 30 s", `${monitor.target}, ${monitor.managed?.place}: ${seconds} s`, []));
    const isGone = ({ paused, managed }: Monitor) => paused && /, gone since /.test(managed?.place ?? "");

    let process = await start();
    await namespace.apply(
      ingress("web"),
      route("api"),
      service("db", { port: 5432 }),
      service("cache", { name: "http", port: 8080 }),
      service("wrong", { port: 1 }, { "sonde.dev/interval": "often" }),
    );
    row(
      "an Ingress",
      await seen("an Ingress", "ingress", "web", ({ target }) => target === "https://web.example.com/health"),
    );
    row(
      "an HTTPRoute",
      await seen("a route", "httproute", "api", ({ target }) => target === "https://api.example.com/v1"),
    );
    row("a Service", await seen("a Service", "service", "db", ({ target }) => target === `tcp://db.${name}.svc:5432`));
    row("an HTTP Service", await seen("HTTP", "service", "cache", ({ type }) => type === "http"));
    const logged = process.output().split(`"Service ${name}/wrong"`).length - 1;
    const wrong = (await found("service", "wrong")) === undefined && logged === 1 ? [] : [`logged ${logged} times`];
    rows.push(lossless("an invalid annotation", "no monitor, one log line", "skipped", wrong));

    await namespace.kubectl(
      "annotate",
      "--overwrite",
      "ingress/web",
      "sonde.dev/interval=5",
      "sonde.dev/tags=prod,shop",
    );
    row(
      "changed annotations",
      await seen("a change", "ingress", "web", ({ interval, tags }) => interval === 5 && tags.length === 2),
    );
    const team = { name: `Team ${cluster}`, type: "webhook", enabled: true, config: { url: "https://example.com/" } };
    const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", team);
    await namespace.kubectl("annotate", "--overwrite", "ingress/web", `sonde.dev/notify=name:${team.name}`);
    const { id = 0 } = (await found("ingress", "web")) ?? {};
    await until("its channel", async () => {
      const { monitors } = await api.get<{ monitors: Record<string, { channels: number[] }> }>(
        "/api/notifications/settings",
      );
      return monitors[id]?.channels.includes(channel.id) ? true : undefined;
    });
    rows.push(lossless("a channel that a user created", "assigned to the monitor", "assigned by name", []));
    await namespace.kubectl("annotate", "--overwrite", "ingress/web", "sonde.dev/interval=often");
    await namespace.kubectl("annotate", "--overwrite", "service/wrong", "sonde.dev/interval=2");
    await seen("the rest", "service", "wrong", ({ interval }) => interval === 2);
    row("an invalid and a valid change", await seen("as it was", "ingress", "web", ({ interval }) => interval === 5));
    await namespace.kubectl("annotate", "ingress/web", "sonde.dev/interval-");

    await namespace.kubectl("delete", "ingress/web");
    row("a deleted Ingress", await seen("paused", "ingress", "web", isGone));
    await process.stop();
    await namespace.kubectl("delete", "service/db");
    const unreachable = await start("https://127.0.0.1:9");
    await sleep(unreachableMs);
    await unreachable.stop();
    const db = await found("service", "db");
    rows.push(
      lossless(
        "the API server is unreachable",
        "nothing is paused",
        "checked",
        db === undefined || db.paused ? ["paused"] : [],
      ),
    );
    process = await start();
    row("an object deleted while discovery was stopped", await seen("paused", "service", "db", isGone));
    const web = await found("ingress", "web");
    rows.push(
      lossless("a restart", "the deleted Ingress stays paused", "checked", web && isGone(web) ? [] : ["not paused"]),
    );
    await namespace.apply(ingress("web"));
    row(
      "the Ingress is created again",
      await seen(
        "resumed",
        "ingress",
        "web",
        ({ paused, managed }) => !paused && managed?.place === `Ingress ${name}/web`,
      ),
    );
    await process.stop();
    const leaked = process.output().includes(secret) || unreachable.output().includes(secret);
    rows.push(lossless("the API key", "not logged", "checked", leaked ? ["logged"] : []));

    await api.send("DELETE", `/api/sources/${encodeURIComponent(source)}`);
    await api.send("DELETE", `/api/notifications/channels/${channel.id}`);
    await api.send("DELETE", `/api/keys/${key.id}`);
    if (!hadRoutes) await command("kubectl", ["delete", "crd", routeDefinition.metadata.name]);
    return rows;
  },
};
