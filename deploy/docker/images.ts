/**
 * `npm run images`: builds the image of each program with Docker or buildah. See README.md beside it.
 *
 *   --only gateway,auth   these alone
 *   --tag 0.1.0           the version in package.json by default
 *   --into FOLDER         writes each as a docker-archive, too
 *   --builder docker      or buildah; whichever is there by default
 *   --storage FOLDER      where buildah keeps its images
 *   --signing-key FILE    the key that signs the agents' archives; without it one is made for this build
 *   --registry NAME       what stands before `sonde/gateway`: docker.io by default
 */
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readPackage } from "./src/bundle/packages.ts";
import { openBuilder } from "./src/images/builder.ts";
import { output } from "./src/images/command.ts";
import { bytesBeyond } from "./src/images/sizes.ts";
import { clickHouseImage, natsImage, nodeImage, official } from "./src/images/stand-ins.ts";
import { programs } from "./src/programs.ts";
import { root } from "./src/root.ts";

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    tag: { type: "string", default: readPackage(root).version },
    into: { type: "string" },
    builder: { type: "string" },
    storage: { type: "string" },
    "signing-key": { type: "string" },
    registry: { type: "string", default: "docker.io" },
  },
});
const builder = await openBuilder(options.builder, options.storage && resolve(options.storage));
const only = options.only?.split(",");
const known = [...programs.keys(), ...official.flatMap(({ tags }) => tags.map(shortName))];
const unknown = only?.filter((name) => !known.includes(name)) ?? [];
if (unknown.length > 0) throw new Error(`There is no image ${unknown.join(", ")}; there are ${known.join(", ")}`);
const into = options.into && resolve(options.into);
if (into) await mkdir(into, { recursive: true });

const isWanted = (name: string) => only === undefined || only.includes(name);
// The base, and where it brings nats-server, is needed for the others.
for (const { tags, make } of official) {
  const isNeeded = tags.includes(nodeImage) || tags.includes(natsImage);
  if (!isNeeded && !tags.some((tag) => isWanted(shortName(tag)))) continue;
  if (await isThere(tags)) continue;
  say(`${tags.join(", ")} cannot be pulled; a stand-in for tests is made`);
  await make(builder);
  for (const tag of tags) await save(tag, shortName(tag));
}

const revision = await output("git", ["-C", root, "rev-parse", "HEAD"]).catch(() => "unknown");
const committed = await output("git", ["-C", root, "log", "-1", "--format=%ct"]).catch(() => "0");
const epochSeconds = Number(process.env["SOURCE_DATE_EPOCH"] ?? committed.trim());
const baseLayers = await builder.layers(nodeImage);
for (const name of programs.keys()) {
  if (!isWanted(name)) continue;
  // Whoever can pull ClickHouse itself has no use for its stand-in.
  if (name === "clickhouse" && only === undefined && (await isThere([clickHouseImage]))) continue;
  const tag = name === "clickhouse" ? clickHouseImage : `${options.registry}/sonde/${name}:${options.tag}`;
  say(`Building ${tag} …`);
  await builder.build({
    tag,
    dockerfile: join(root, "deploy/docker/Dockerfile"),
    context: root,
    arguments: {
      SERVICE: name,
      NODE_IMAGE: nodeImage,
      NATS_IMAGE: natsImage,
      VERSION: options.tag,
      REVISION: revision.trim(),
      SOURCE_DATE_EPOCH: String(epochSeconds),
    },
    secrets: secrets(),
    epochSeconds,
  });
  const archive = await save(tag, name === "clickhouse" ? name : `sonde-${name}`);
  if (archive) say(`${tag}: ${(await bytesBeyond(archive, baseLayers)) / 1e6} MB beyond the base`);
}

/** Pulled now, or earlier; what was made here earlier is made anew. */
async function isThere(tags: readonly string[]): Promise<boolean> {
  for (const tag of tags) if (!(await builder.pull(tag))) return false;
  return true;
}

async function save(tag: string, name: string): Promise<string | undefined> {
  if (!into) return undefined;
  const file = join(into, `${name}.tar`);
  await rm(`${file}.new`, { force: true });
  await builder.save(tag, `${file}.new`);
  await rename(`${file}.new`, file);
  return file;
}

/** What npm needs here to reach its registry: a step of the build reads it, and no image holds it. */
function secrets(): Record<string, string> {
  const files = {
    npmrc: process.env["NPM_CONFIG_USERCONFIG"] ?? join(homedir(), ".npmrc"),
    ca: process.env["NODE_EXTRA_CA_CERTS"],
    "agent-signing-key": options["signing-key"],
  };
  return Object.fromEntries(
    Object.entries(files).flatMap(([id, file]) => (file && existsSync(file) ? [[id, file]] : [])),
  );
}

function shortName(tag: string): string {
  return tag.replace(/^docker\.io\/(?:library\/)?/, "").replaceAll(/[/:]/g, "-");
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
