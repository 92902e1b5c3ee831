import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { deriveKeys, keyVariablesOf } from "@sonde/kit/secret-keys";
import { databaseServices, schemaOf, type ServiceName, serviceNames } from "@sonde/proto/services";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Session } from "chdb";
import { parse } from "yaml";
import about from "../../package.json" with { type: "json" };

type Container = {
  extends?: { file: string; service: string };
  image?: string;
  pull_policy?: string;
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  restart?: string;
  profiles?: string[];
  mem_limit?: string;
  ports?: string[];
  networks?: string[];
  network_mode?: string;
  healthcheck?: { test: string[] };
  environment?: Record<string, string>;
  logging?: { options: Record<string, string> };
  volumes?: string[];
};
type ComposeFile = {
  services: Record<string, Container>;
  networks?: Record<string, { internal?: boolean } | null>;
};

const here = import.meta.dirname;
const run = promisify(execFile);
/** It reads files without an engine. */
const hasCompose = await run("docker", ["compose", "version"]).then(
  () => true,
  () => false,
);
const files = ["compose.yaml", "distributed.yaml", "clickhouse.yaml", "arm64.yaml"] as const;
const readRaw = async (name: string): Promise<ComposeFile> =>
  parse(await readFile(join(here, name), "utf8"), { merge: true }) as ComposeFile;
/** Resolves `extends` across files, for the keys that these tests read. */
async function read(name: string): Promise<ComposeFile> {
  const file = await readRaw(name);
  for (const [service, { extends: from, ...own }] of Object.entries(file.services)) {
    if (from === undefined) continue;
    const { services } = await readRaw(from.file);
    const base = services[from.service]!;
    const environment = { ...base.environment, ...own.environment };
    const volumes = [...(base.volumes ?? []), ...(own.volumes ?? [])];
    file.services[service] = { ...base, ...own, environment, volumes };
  }
  return file;
}
const variable = (name: string) => name.toUpperCase().replaceAll("-", "_");
/** The variables that a text takes from the environment of `docker compose`. */
const variablesIn = (text: string) => [...text.matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name = ""]) => name);

let distributed: ComposeFile;
let allInOne: ComposeFile;
let clickhouse: ComposeFile;
let arm64: ComposeFile;
/** From the chart: what each service is. */
let described: Record<ServiceName, { outside?: boolean }>;
beforeAll(async () => {
  [allInOne, distributed, clickhouse, arm64] = (await Promise.all(files.map(read))) as [
    ComposeFile,
    ComposeFile,
    ComposeFile,
    ComposeFile,
  ];
  described = parse(await readFile(join(here, "../../charts/sonde/files/services.yaml"), "utf8")) as typeof described;
});

describe.each(files)("%s", (name) => {
  it.skipIf(!hasCompose)("is what docker compose reads", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sonde-compose-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const env = join(folder, ".env");
    await run(join(here, "make-env"), [env]);
    const merged = name === "clickhouse.yaml" ? ["-f", "distributed.yaml"] : [];
    const args = ["compose", "--env-file", env, ...merged, "-f", name, "config", "--quiet"];
    expect(await run("docker", args, { cwd: here })).toEqual({ stdout: "", stderr: "" });
  });

  it("runs every container with no more rights and memory than it needs", async () => {
    const { services } = await read(name);
    const faults = Object.entries(services)
      .filter(([, container]) => container.user !== undefined || name !== "clickhouse.yaml")
      .filter(([service, container]) => {
        // The one that hands a new volume to the server ends at once, and reaches no network.
        const isRoot = (container.user ?? "0:0").startsWith("0:") && service !== "nats-volume";
        const isLoose = !container.read_only || container.cap_drop?.[0] !== "ALL" || !container.security_opt?.length;
        return (
          isRoot || isLoose || !container.mem_limit || !container.restart || !container.logging?.options["max-size"]
        );
      });
    expect(faults.map(([service]) => service)).toEqual([]);
  });

  it("publishes no port but the gateway's, on loopback unless told otherwise", async () => {
    const { services } = await read(name);
    const published = Object.values(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(
      name === "clickhouse.yaml" ? [] : ["${SONDE_ADDRESS:-127.0.0.1}:${SONDE_PORT:-8080}:8080"],
    );
  });

  it("pulls no image of Sonde unless told where from: a name without a registry is somebody else's", async () => {
    const { services } = await read(name);
    const own = Object.entries(services).filter(([, { image }]) => image?.startsWith("${SONDE_IMAGES:-sonde}/"));
    // The `metrics` of clickhouse.yaml is merged over the service of distributed.yaml.
    const policies = own.map(([service, each]) => each.pull_policy ?? distributed.services[service]?.pull_policy);
    expect(policies.length).toBeGreaterThan(0);
    expect(new Set(policies)).toEqual(new Set(["${SONDE_PULL_POLICY:-never}"]));
  });

  it("tells whether each container that stays is well", async () => {
    const { services } = await read(name);
    const unknown = Object.entries(services).filter(
      ([, { restart, healthcheck }]) => restart === "unless-stopped" && !healthcheck,
    );
    expect(unknown.map(([service]) => service)).toEqual([]);
  });
});

describe("the distributed file", () => {
  it("has a container of its image for every service", () => {
    for (const name of serviceNames) {
      const image = name === "metrics" ? "metrics-embedded" : name;
      expect(distributed.services[name]?.image).toBe(
        "${SONDE_IMAGES:-sonde}/" + image + ":${SONDE_VERSION:-" + about.version + "}",
      );
    }
  });

  it("gives each service its own user of the bus, and its own role of PostgreSQL where it keeps rows", () => {
    for (const name of serviceNames) {
      const environment = distributed.services[name]?.environment ?? {};
      expect(environment.NATS_URL).toBe(
        `nats://${name}${name === "probe-runner" ? "-${PROBE_LOCATION:-default}" : ""}:` +
          "${NATS_PASSWORD_" +
          variable(name) +
          ":?run ./make-env first}@nats:4222",
      );
      const password = "${DATABASE_PASSWORD_" + variable(name) + ":?run ./make-env first}";
      const keepsRows = (databaseServices as readonly string[]).includes(name);
      expect(environment.DATABASE_URL).toBe(
        keepsRows ? `postgres://sonde_${schemaOf(name)}:${password}@postgres:5432/sonde` : undefined,
      );
    }
  });

  it("has a container for backups that starts when it is asked for alone, with what a backup needs", () => {
    const { profiles, networks, environment = {} } = distributed.services.backup ?? {};
    expect(profiles).toEqual(["backup"]);
    expect(networks).toEqual(["bus", "database", "outside"]);
    expect(variablesIn(JSON.stringify(environment)).filter((name) => name.startsWith("SONDE"))).toEqual([
      "SONDE_KEY_BACKUP",
    ]);
    expect(distributed.services.metrics?.environment?.BACKUP_TOKEN).toBe(environment.BACKUP_TOKEN);
    expect(environment.BACKUP_DATABASE_URL).toContain(
      distributed.services.setup?.environment?.DATABASE_PASSWORD_BACKUP,
    );
    expect(clickhouse.services.backup?.environment?.CLICKHOUSE_URL).toBe(
      clickhouse.services.metrics?.environment?.CLICKHOUSE_URL,
    );
  });

  it("tells a service no secret but its own", () => {
    for (const name of serviceNames) {
      const known = variablesIn(JSON.stringify(distributed.services[name])).filter((text) =>
        /PASSWORD(?!S\b)|SECRET_KEY|SONDE_KEY|SETUP_CODE/.test(text),
      );
      const own = [`NATS_PASSWORD_${variable(name)}`];
      if ((databaseServices as readonly string[]).includes(name)) own.push(`DATABASE_PASSWORD_${variable(name)}`);
      own.push(...keyVariablesOf(name));
      if (name === "auth") own.push("AUTH_SETUP_CODE");
      expect(known.toSorted()).toEqual(own.toSorted());
    }
  });

  it("lets only those out that call what people name, and only those with rows to PostgreSQL", () => {
    expect(distributed.networks).toEqual({ outside: null, bus: { internal: true }, database: { internal: true } });
    for (const name of serviceNames) {
      const networks = distributed.services[name]?.networks ?? [];
      expect(networks).toContain("bus");
      // The gateway is there to be reached from outside.
      expect(networks.includes("outside")).toBe(name === "gateway" || described[name].outside === true);
      expect(networks.includes("database")).toBe((databaseServices as readonly string[]).includes(name));
    }
  });

  it("gives nats-server every password of its list of users, and setup every password of a role", async () => {
    const users = await readFile(join(here, "nats-users.conf"), "utf8");
    const wanted = [...users.matchAll(/password: \$(\w+)/g)].map(([, name = ""]) => name);
    expect(Object.keys(distributed.services.nats?.environment ?? {}).toSorted()).toEqual(
      [...wanted, "PROBE_LOCATION"].toSorted(),
    );
    const roles = databaseServices.map((name) => `DATABASE_PASSWORD_${variable(name)}`);
    expect(Object.keys(distributed.services.setup?.environment ?? {})).toEqual(expect.arrayContaining(roles));
  });
});

describe("a ClickHouse of its own", () => {
  it("takes the place of the embedded one, and is reached by metrics alone", () => {
    expect(clickhouse.services.metrics?.image).toBe(
      "${SONDE_IMAGES:-sonde}/metrics:${SONDE_VERSION:-" + about.version + "}",
    );
    expect(clickhouse.services.clickhouse?.networks).toEqual(["clickhouse"]);
    expect(clickhouse.networks?.clickhouse).toEqual({ internal: true });
    expect(Object.keys(clickhouse.services)).toEqual(["metrics", "backup", "clickhouse"]);
  });
});

describe("all-in-one beside a ClickHouse", () => {
  it("differs from compose.yaml only by a ClickHouse server, which only Sonde reaches", () => {
    const { sonde, ...others } = arm64.services;
    expect(Object.keys(others)).toEqual(["clickhouse"]);
    expect(sonde?.environment).toEqual({
      ...allInOne.services.sonde?.environment,
      CLICKHOUSE_URL: clickhouse.services.metrics?.environment?.CLICKHOUSE_URL,
    });
    expect(sonde?.networks).toEqual(["default", "clickhouse"]);
    expect(others.clickhouse?.networks).toEqual(["clickhouse"]);
    expect(arm64.networks).toEqual({ clickhouse: { internal: true } });
  });

  it("fits in 2 GiB, and ClickHouse's own limit is below its container's", async () => {
    const mib = ({ mem_limit = "" }: Container) => parseInt(mem_limit) * (mem_limit.endsWith("g") ? 1_024 : 1);
    const { sonde, clickhouse: server } = arm64.services;
    expect(mib(sonde!) + mib(server!)).toBeLessThanOrEqual(2_048 - 256);
    const limitIn = async (file: string, folder: string) => {
      expect(server?.volumes).toContain(`./${file}:/etc/clickhouse-server/${folder}/small.xml:ro`);
      const [, bytes] = /memory_usage>(\d+)</.exec(await readFile(join(here, file), "utf8"))!;
      return Number(bytes) / 2 ** 20;
    };
    const ofServer = await limitIn("clickhouse-small.xml", "config.d");
    expect(ofServer).toBeLessThan(mib(server!));
    expect(await limitIn("clickhouse-small-users.xml", "users.d")).toBeLessThan(ofServer);
  });

  it("gives ClickHouse settings that it knows, with the values of the file", async () => {
    const text = await readFile(join(here, "clickhouse-small.xml"), "utf8");
    const settings = [...text.matchAll(/<(\w+)>(\d+)<\/\1>/g)].map(([, name = "", value = ""]) => [name, value]);
    const folder = await mkdtemp(join(tmpdir(), "sonde-clickhouse-"));
    const engine = new Session(folder, { connectionArgs: [`--config-file=${join(here, "clickhouse-small.xml")}`] });
    try {
      const tables = ["server_settings", "merge_tree_settings"].map(
        (table) => `SELECT name, value FROM system.${table}`,
      );
      const rows = engine.query(tables.join(" UNION ALL "), "TSV").split("\n");
      const known = new Map(rows.map((row) => row.split("\t") as [string, string]));
      expect(settings.length).toBeGreaterThan(0);
      for (const [name = "", value] of settings) expect([name, known.get(name)]).toEqual([name, value]);
    } finally {
      engine.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("make-env", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sonde-make-env-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const makeEnv = (file: string) => run(join(here, "make-env"), [file]);
  const entries = async (file: string) =>
    Object.fromEntries(
      (await readFile(file, "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );

  it("makes every secret that the files ask for, readable by nobody else", async () => {
    const file = join(folder, "fresh.env");
    await makeEnv(file);
    const made = await entries(file);
    const texts = await Promise.all(files.map((name) => readFile(join(here, name), "utf8")));
    const needed = texts.flatMap((text) => [...text.matchAll(/\$\{([A-Z0-9_]+):\?/g)]).map(([, name = ""]) => name);
    // Absent from the `.env` of the version before, whose services start without.
    const later = ["BACKUP_TOKEN", "DATABASE_PASSWORD_BACKUP", "SONDE_KEY_BACKUP", "SONDE_KEY_SIGNIN"];
    expect(Object.keys(made).toSorted()).toEqual([...new Set(needed), ...later, "SONDE_SECRET_KEY"].toSorted());
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("makes passwords that addresses and nats-server's configuration take as they are, each another", async () => {
    const file = join(folder, "passwords.env");
    await makeEnv(file);
    const made = Object.entries(await entries(file));
    const passwords = Object.fromEntries(made.filter(([name]) => !/^SONDE_(SECRET_)?KEY/.test(name)));
    for (const password of Object.values(passwords)) expect(password).toMatch(/^[a-z][A-Za-z0-9_-]{32,}$/);
    expect(new Set(Object.values(passwords)).size).toBe(Object.keys(passwords).length);
  });

  it("derives the services' keys from the sealing key, and again where that one was changed", async () => {
    const file = join(folder, "keys.env");
    await makeEnv(file);
    const { SONDE_SECRET_KEY = "", ...first } = await entries(file);
    expect(Buffer.from(SONDE_SECRET_KEY, "base64")).toHaveLength(32);
    expect(first).toMatchObject(deriveKeys(SONDE_SECRET_KEY));
    const masters = `${randomBytes(32).toString("base64")},${SONDE_SECRET_KEY}`;
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(`SONDE_SECRET_KEY=${SONDE_SECRET_KEY}`, `SONDE_SECRET_KEY=${masters}`));
    await makeEnv(file);
    const made = await entries(file);
    expect(made).toEqual({ ...first, ...deriveKeys(masters), SONDE_SECRET_KEY: masters });
    await writeFile(file, "SONDE_SECRET_KEY=short\n");
    await expect(makeEnv(file)).rejects.toThrow(/SONDE_SECRET_KEY in .* must be 32 bytes/);
  });

  it("changes nothing that is there, and adds what is missing", async () => {
    const file = join(folder, "kept.env");
    await writeFile(file, "PUBLIC_URL=https://sonde.example.com\nNATS_PASSWORD_AUTH=mine"); // And no end of the line.
    await makeEnv(file);
    const first = await readFile(file, "utf8");
    expect(first).toMatch(/^PUBLIC_URL=https:\/\/sonde\.example\.com\nNATS_PASSWORD_AUTH=mine\n\w+=/);
    await makeEnv(file);
    expect(await readFile(file, "utf8")).toBe(first);
  });
});

it("reads of the all-in-one no secret that must be made before", () => {
  expect(JSON.stringify(allInOne)).not.toContain(":?");
});
