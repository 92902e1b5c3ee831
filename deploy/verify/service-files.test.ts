import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import about from "../../package.json" with { type: "json" };
import { chartFiles, findStaleChartFiles } from "./chart-files.ts";
import { type Resource, resourcesIn } from "./chart/golden.ts";
import { findProgram, runTool } from "./chart/tools.ts";
import { findUnknownVariables, readServices, type ServiceFacts, withParts } from "./service-files.ts";
import { root } from "./steps.ts";

const helm = await findProgram("helm");
const services = await readServices();

/** A tree generated with an additional service, a copy of status-page. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-services-"));
  for (const path of ["charts/sonde", "deploy/compose"])
    await cp(join(root, path), join(folder, path), { recursive: true });
  const copied = services.find(({ name }) => name === "status-page")!;
  for (const [path, text] of await chartFiles([...services, { ...copied, name: "book-keeper", callsOut: true }])) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const read = (path: string) => readFile(join(folder, path), "utf8");

it("all generated files are current", async () => {
  expect(await findStaleChartFiles()).toBe("");
});

it("describes an additional service for the chart's templates", async () => {
  const described = parse(await read("charts/sonde/files/services.yaml")) as Record<string, object>;

  expect(described["book-keeper"]).toEqual({ ...described["status-page"], outside: true });
  expect(described["monitors"]).toEqual({
    database: true,
    keys: ["check", "callout", "v1"],
    reads: ["minimumInterval", "deniedRanges"],
    retains: ["incidents"],
  });
  expect(await read("charts/sonde/files/alerts.yaml")).toContain('or absent(sonde_ready{service="book-keeper"})');
});

it.skipIf(helm === null)("deploys it with the chart, with its own user, role, keys and connections", async () => {
  const chart = join(folder, "charts/sonde");
  const values = ["--set", "image.registry=registry.example.com", "--set", "services.book-keeper.replicas=3"];
  const { stdout, stderr } = await runTool(helm!, ["template", "sonde", chart, "--kube-version", "1.36.0", ...values]);
  expect(stderr).toBe("");
  const resources = resourcesIn(stdout);
  const find = (kind: string, name: string) =>
    resources.find((one) => one.kind === kind && one.metadata.name === name) as Resource & {
      spec: { replicas: number };
    };

  const text = JSON.stringify(find("Deployment", "sonde-book-keeper"));
  expect(find("Deployment", "sonde-book-keeper").spec.replicas).toBe(3);
  expect(text).toContain("registry.example.com/sonde/book-keeper:");
  expect(text).toContain("nats://book-keeper:$(NATS_PASSWORD)@");
  expect(text).toContain("postgres://sonde_book_keeper:$(DATABASE_PASSWORD)@");
  expect(text).toContain("SONDE_KEY_CONFIRMATION");
  expect(find("NetworkPolicy", "sonde-book-keeper")).toBeDefined();
  expect(JSON.stringify(resources.filter(({ kind }) => kind === "Job"))).toContain("DATABASE_PASSWORD_BOOK_KEEPER");
});

it("runs it with Compose and its own secrets, which make-env creates", async () => {
  const compose = await read("deploy/compose/distributed.yaml");
  type Container = { image: string; networks: string[]; environment: Record<string, string> };
  const { services: containers } = parse(compose, { merge: true }) as { services: Record<string, Container> };

  const container = containers["book-keeper"]!;
  expect(container.image).toBe("${SONDE_IMAGES:-sonde}/book-keeper:${SONDE_VERSION:-" + about.version + "}");
  expect(container.networks).toEqual(["bus", "database", "outside"]);
  expect(Object.keys(container.environment)).toEqual(
    expect.arrayContaining(Object.keys(containers["status-page"]!.environment)),
  );
  expect(containers["nats"]!.environment).toHaveProperty("NATS_PASSWORD_BOOK_KEEPER");
  expect(containers["setup"]!.environment).toHaveProperty("DATABASE_PASSWORD_BOOK_KEEPER");

  await promisify(execFile)(join(folder, "deploy/compose/make-env"));
  const env = await read("deploy/compose/.env");
  const required = [...compose.matchAll(/\$\{([A-Z0-9_]+):\?/g)].map(([, name]) => name);
  for (const name of required) expect(env).toMatch(new RegExp(`^${name}=.`, "m"));
});

it("builds its image with Skaffold", async () => {
  type Skaffold = { build: { artifacts: { image: string; custom: { dependencies: { paths: string[] } } }[] } };
  const { artifacts } = (parse(await read("skaffold.yaml")) as Skaffold).build;

  const artifact = artifacts.find(({ image }) => image === "sonde/book-keeper");
  expect(artifact?.custom.dependencies.paths).toContain("services/book-keeper/**");
});

it("reports a variable that the chart does not know", () => {
  const auth = services.find(({ name }) => name === "auth")!;
  const reading: ServiceFacts = { ...auth, variables: [...auth.variables, "AUTH_NEW"] };

  expect(findUnknownVariables([reading])).toEqual([expect.stringContaining("auth reads AUTH_NEW")]);
});

it("rejects a file without the part to generate", () => {
  expect(() => withParts("services:\n", { images: "" })).toThrow('there is no part "images"');
});
