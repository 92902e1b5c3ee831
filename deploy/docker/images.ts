/**
 * `npm run images`: builds images with `docker buildx bake`, or with buildah if no Docker engine responds. With buildah,
 * test stand-ins replace official images that cannot be pulled. README.md documents the options.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readPackage, root } from "@sonde/bundle/packages";
import { architectures, isBuiltFor, ownArchitecture, programs } from "./src/programs.ts";

const official = new Map([
  ["node-26-bookworm-slim", "docker.io/library/node:26-bookworm-slim"],
  ["nats-2.12-alpine", "docker.io/library/nats:2.12-alpine"],
  ["postgres-18", "docker.io/library/postgres:18"],
  ["postgres-18-alpine", "docker.io/library/postgres:18-alpine"],
]);
const neededByAll = ["node-26-bookworm-slim", "nats-2.12-alpine"];
/** The stand-in is built from one of `programs`, only with buildah. */
const clickHouse = "docker.io/clickhouse/clickhouse-server:26.8";
const stages = ["agents", "all-in-one", "probe-runner"];

const options = readOptions();
const { tag, registry, push, builder } = options;
const into = options.into && resolve(options.into);
const chosen = options.only?.split(",");
const isRequested = (name: string) => chosen === undefined || chosen.includes(name);
const arches = architectures.filter((name) => options.arch.split(",").includes(name));
const [firstArch = ownArchitecture] = arches;
const unknown = (chosen ?? []).filter((name) => !programs.has(name) && !official.has(name));
const key = options["signing-key"] && resolve(options["signing-key"]);

if (unknown.length > 0)
  fail(`There is no image ${unknown.join(", ")}; there are ${[...programs.keys(), ...official.keys()].join(", ")}.`);
if (arches.length !== options.arch.split(",").length) fail(`--arch takes ${architectures.join(" and ")}.`);
if (arches.length > 1 && !(push && builder === "docker")) fail("Two processors need --push and Docker.");
if (push && registry === "docker.io") fail("--push needs --registry, the registry that is yours.");
if (builder !== "docker" && builder !== "buildah")
  fail(`There is no builder ${builder}; there are docker and buildah.`);
if (key && !existsSync(key)) fail(`There is no key ${key}: npm run build:agent makes one.`);
if (!succeeds(builder, ["--version"]))
  fail("Images need a Docker engine that runs, or buildah (Debian and Ubuntu: apt-get install buildah).");

/** Build secrets, contained in no image. */
const secrets = Object.entries({
  npmrc: process.env["NPM_CONFIG_USERCONFIG"] ?? join(homedir(), ".npmrc"),
  ca: process.env["NODE_EXTRA_CA_CERTS"],
  "agent-signing-key": key,
}).flatMap(([id, file]) => (file && existsSync(file) ? [{ id, file }] : []));
const revision = spawnSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).stdout?.trim() || "unknown";
const names = [...programs.keys()].filter(
  (name) => isRequested(name) && arches.some((one) => isBuiltFor(programs.get(name)!, one)),
);

if (into) await mkdir(into, { recursive: true });
if (builder === "docker") bake();
else await buildWithBuildah();

function bake(): void {
  const baked = names.filter((name) => name !== "clickhouse");
  if (baked.length === 0) fail("Stand-ins of official images need --builder buildah.");
  const secretOf = (id: string) => secrets.find((secret) => secret.id === id)?.file;
  // For two processors, docker-bake.hcl sets the platforms and attestations. Docker's default builder supports neither.
  const simple = [`--set=*.platform=linux/${firstArch}`, "--sbom=false", "--provenance=false"];
  const archives = baked.map(
    (name) => `--set=${name}.output=type=docker,dest=${join(into ?? "", `sonde-${name}.tar`)}`,
  );
  const output = push ? ["--push"] : into ? archives : ["--load"];
  const flags = ["--file=deploy/docker/docker-bake.hcl", ...(arches.length > 1 ? [] : simple), ...output];
  run("docker", ["buildx", "bake", ...flags, ...baked], {
    REGISTRY: registry,
    TAG: tag,
    REVISION: revision,
    NPMRC: secretOf("npmrc"),
    CA: secretOf("ca"),
    AGENT_KEY: secretOf("agent-signing-key"),
  });
}

async function buildWithBuildah(): Promise<void> {
  const storage = options.storage && resolve(options.storage);
  const own = storage ? ["--root", `${storage}/root`, "--runroot", `${storage}/run`] : [];
  // A container usually cannot start another one, but it can chroot.
  const isolation = process.env["BUILDAH_ISOLATION"] ?? "chroot";
  const build = ["build", "--layers", "--network=host", `--isolation=${isolation}`];
  const pulls = (image: string) => succeeds("buildah", [...own, "pull", "--quiet", "--policy=missing", image]);
  const save = async (image: string, name: string) => {
    if (!into) return;
    const file = join(into, `${name}.tar`);
    await rm(`${file}.new`, { force: true });
    run("buildah", [...own, "push", image, `docker-archive:${file}.new:${image}`]);
    await rename(`${file}.new`, file);
  };

  for (const [name, image] of official) {
    if (!isRequested(name) && !neededByAll.includes(name)) continue;
    const isThere = pulls(image);
    if (!isThere) {
      console.log(`${image} cannot be pulled; a stand-in for tests is built`);
      run("sh", ["deploy/docker/test-images/build.sh", name, "buildah", ...own, ...build, "--tag", image]);
    }
    if (!isThere || chosen?.includes(name)) await save(image, name);
  }
  for (const name of names) {
    const isStandIn = name === "clickhouse";
    if (isStandIn && chosen === undefined && pulls(clickHouse)) continue;
    const image = isStandIn ? clickHouse : `${registry}/sonde/${name}:${tag}`;
    console.log(`Building ${image}`);
    const values = { SERVICE: name, VERSION: tag, REVISION: revision };
    run("buildah", [
      ...own,
      ...build,
      `--platform=linux/${firstArch}`,
      // Docker sets it automatically; older releases of buildah do not.
      `--build-arg=BUILDPLATFORM=linux/${ownArchitecture}`,
      ...Object.entries(values).map((pair) => `--build-arg=${pair.join("=")}`),
      ...secrets.map(({ id, file }) => `--secret=id=${id},src=${file}`),
      `--target=${stages.includes(name) ? name : "program"}`,
      `--tag=${image}`,
      "--file=deploy/docker/Dockerfile",
      ".",
    ]);
    if (push && !isStandIn) run("buildah", [...own, "push", image]);
    await save(image, isStandIn ? name : `sonde-${name}`);
  }
}

function run(program: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): void {
  const { status, error } = spawnSync(program, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...variables },
  });
  if (status !== 0) fail(`${program} ${args[0]} failed: ${error?.message ?? `exit code ${status}`}`);
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: "string" },
        tag: { type: "string", default: readPackage(root).version },
        registry: { type: "string", default: "docker.io" },
        push: { type: "boolean", default: false },
        into: { type: "string" },
        arch: { type: "string", default: ownArchitecture },
        builder: { type: "string", default: succeeds("docker", ["info"]) ? "docker" : "buildah" },
        storage: { type: "string" },
        "signing-key": { type: "string" },
      },
    }).values;
  } catch (fault) {
    return fail((fault as Error).message);
  }
}

function fail(reason: string): never {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}
