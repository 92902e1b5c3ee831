import { freePort } from "@sonde/embedded/free-port";
import type { EmbeddedServer } from "@sonde/embedded/nats";
import { startPostgres } from "@sonde/embedded/postgres";
import { openReader, openRoles } from "@sonde/kit/postgres/roles";
import { deriveKeys, unknownKey } from "@sonde/kit/secret-keys";
import { databaseServices, schemaOf } from "@sonde/proto/services";
import { randomBytes } from "node:crypto";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { verifyArchive } from "@sonde/backup/archive/read";
import { cloneDir } from "../clone.ts";
import { compiled } from "../testing/compiled.ts";
import { variableOf } from "../supervisor/processes.ts";

// As in a cluster: external PostgreSQL, ClickHouse embedded in a metrics process, and a separate environment per program.
const token = "a token of some length";
let folder: string;
let postgres: EmbeddedServer;
let archive: string;
let owners: Record<string, string>;
let readerUrl: string;
let metrics: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-backup-local-"));
  await chmod(folder, 0o711); // When tests run as root, PostgreSQL runs as another user, which needs access.
  postgres = await startPostgres({ dataDir: join(folder, "postgres"), durable: false });
  const schemas = databaseServices.map(schemaOf);
  const urls = await openRoles(postgres.url, schemas);
  await openReader(postgres.url, "sonde_backup", "reader", schemas);
  const reader = new URL(postgres.url);
  [reader.username, reader.password] = ["sonde_backup", "reader"];
  readerUrl = reader.href;
  owners = Object.fromEntries(
    databaseServices.map((service) => [variableOf("DATABASE_URL", service), urls.get(schemaOf(service))!]),
  );
  archive = join(folder, "sonde.tar");
  await writeFile(archive, gunzipSync(await readFile(join(cloneDir, "e2e/fixtures/backup.tar.gz"))));
});
afterAll(async () => {
  metrics?.kill("SIGKILL");
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

type Ended = { code: number; output: string };

function run(program: string, args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  const env = { PATH: process.env["PATH"], ...compiled, SONDE_DATA_DIR: join(folder, "data"), ...environment };
  return new Promise((resolve) => {
    // The timeout ends a program that starts although it should fail.
    execFile(process.execPath, [join(cloneDir, program), ...args], { env, timeout: 60_000 }, (fault, stdout, stderr) =>
      resolve({ code: fault === null ? 0 : Number(fault.code), output: stdout + stderr }),
    );
  });
}
const local = (...args: string[]) => run("deploy/local/src/main.ts", args, owners);
const image = (args: string[], environment: Record<string, string> = {}) =>
  run("deploy/backup/src/main.ts", args, {
    BACKUP_DATABASE_URL: readerUrl,
    HISTORY_URL: `http://127.0.0.1:${metricsPort}`,
    BACKUP_TOKEN: token,
    ...environment,
  });
let metricsPort: number;

test("a backup without a running Sonde fails, and invalid arguments print the usage", async () => {
  expect(await local("backup", join(folder, "none.tar"))).toMatchObject({
    code: 1,
    output: expect.stringMatching(/BACKUP_DATABASE_URL/),
  });
  expect(await run("deploy/local/src/main.ts", ["backup", "x.tar"], {})).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Sonde is not running on .*Start it before/),
  });
  for (const args of [[], ["a", "b"], ["a", "--keep=-1"], ["a", "--key"]]) {
    expect(await local("backup", ...args)).toMatchObject({ code: 1, output: expect.stringMatching(/^Usage: backup/) });
  }
  expect((await image(["restore", "x.tar"])).output).toMatch(/use the all-in-one image/);
  expect(await readdir(folder)).not.toContain("none.tar");
});

test("all-in-one restores into external servers, and refuses to do it twice", async () => {
  expect(await local("restore", archive)).toMatchObject({
    code: 0,
    output: expect.stringContaining("matching the backup"),
  });
  expect((await readdir(join(folder, "data"))).toSorted()).toEqual([
    "clickhouse",
    "clickhouse.xml",
    "run.lock",
    "secret-key",
  ]);
  expect(await local("restore", archive)).toMatchObject({
    code: 1,
    output: expect.stringContaining("empty installation"),
  });
  expect(await local("restore", archive, "--only-if-empty")).toMatchObject({
    code: 0,
    output: expect.stringContaining("nothing was restored"),
  });
  // Another data directory with the same PostgreSQL.
  const otherDataDir = { ...owners, SONDE_DATA_DIR: join(folder, "other") };
  expect(await run("deploy/local/src/main.ts", ["restore", archive], otherDataDir)).toMatchObject({
    code: 1,
    output: expect.stringContaining("PostgreSQL already has tables of auth, monitors"),
  });
  expect(await readdir(join(folder, "other"))).toEqual(["run.lock"]);
});

test.each(["auth", "monitors", "notifier"] as const)(
  "%s does not start with another key than the one that sealed its data",
  async (service) => {
    const environment = {
      ...deriveKeys(randomBytes(32).toString("base64")),
      DATABASE_URL: owners[variableOf("DATABASE_URL", service)]!,
      NATS_URL: "nats://127.0.0.1:9",
    };
    expect(await run(`services/${service}/src/main.ts`, [], environment)).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${service} could not start: ${unknownKey}`),
    });
  },
);

test("a restore stores the key that it was given, and Sonde does not start without it", async () => {
  const { key } = await verifyArchive(archive);
  const dataDir = join(folder, "keyed");
  const file = join(dataDir, "secret-key");
  const given = { SONDE_DATA_DIR: dataDir, SONDE_SECRET_KEY: key! };
  const restored = await run("deploy/local/src/main.ts", ["restore", archive], given);
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining(`The sealing key is now in ${file}.`) });
  expect([await readFile(file, "utf8"), (await stat(file)).mode & 0o777]).toEqual([key, 0o600]);

  await rm(file);
  const environment = { SONDE_DATA_DIR: dataDir, AGENT_DOWNLOAD_DIR: folder, PORT: String(await freePort()) };
  const started = await run("deploy/local/src/main.ts", [], environment);
  expect(started).toMatchObject({ code: 1, output: expect.stringContaining(unknownKey) });
  expect(started.output).not.toContain("Sonde is ready");
  expect(await readdir(dataDir)).not.toContain("secret-key");
});

test("a restore reports that the start needs SONDE_SECRET_KEY if the data directory has another key", async () => {
  const { key } = await verifyArchive(archive);
  const dataDir = join(folder, "other-key");
  await mkdir(dataDir);
  await writeFile(join(dataDir, "secret-key"), randomBytes(32).toString("base64"));
  const given = { SONDE_DATA_DIR: dataDir, SONDE_SECRET_KEY: key! };
  expect((await run("deploy/local/src/main.ts", ["restore", archive], given)).output).toContain(
    `Start it with the same SONDE_SECRET_KEY as this restore: ${dataDir}/secret-key contains a different key.`,
  );
});

test("the backup image reads the history through metrics, with only its token", async () => {
  metricsPort = await freePort();
  metrics = spawn(process.execPath, [join(cloneDir, "services/metrics/src/main.ts")], {
    env: {
      PATH: process.env["PATH"],
      ...compiled,
      SONDE_DATA_DIR: join(folder, "data"),
      NATS_URL: "nats://127.0.0.1:9",
      LOG_LEVEL: "fatal",
      // Must not delete the archive's history, regardless of its age.
      RETENTION_RAW_DAYS: "3650",
      RETENTION_ROLLUP_DAYS: "3650",
      BACKUP_TOKEN: token,
      BACKUP_PORT: String(metricsPort),
    },
    stdio: "inherit",
  });
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).toBe(401), {
    timeout: 60_000,
    interval: 100,
  });

  const again = join(folder, "again.tar");
  const refused = await image(["backup", again], { BACKUP_TOKEN: "another token of some length" });
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("rejects this BACKUP_TOKEN") });
  expect((await image(["backup", again, "--with-key"])).output).toMatch(/--with-key requires SONDE_SECRET_KEY/);
  expect(await readdir(folder)).not.toContain("again.tar");

  expect(await image(["backup", again])).toMatchObject({
    code: 0,
    output: expect.stringContaining("does not contain the sealing key"),
  });
  const [before, after] = [await verifyArchive(archive), await verifyArchive(again)];
  const rowsOf = ({ manifest }: typeof before) =>
    Object.fromEntries(manifest.parts.map(({ name, rows }) => [name, rows]));
  // Later versions added these tables.
  const tables = {
    auth: ["invites", "views"],
    monitors: [
      "fingerprints",
      "group_spans",
      "runner_tokens",
      "runners",
      "shared_cause_incidents",
      "shared_causes",
      "slos",
      "status_changes",
    ],
    notifier: [
      "calls",
      "changes",
      "contacts",
      "drills",
      "escalations",
      "incident_changes",
      "overrides",
      "policies",
      "push_key",
      "report_confirmations",
      "report_issues",
      "report_key",
      "report_recipients",
      "reports",
      "schedules",
      "telegram_bots",
    ],
  };
  const added = Object.entries(tables).flatMap(([service, names]) =>
    names.map((table) => [`postgres/${service}/${table}.copy.zst`, { atLeast: 0, atMost: 0 }]),
  );
  expect(rowsOf(after)).toEqual({ ...rowsOf(before), ...Object.fromEntries(added) });
  expect([after.manifest.shape, after.key]).toEqual(["distributed", undefined]);
});
