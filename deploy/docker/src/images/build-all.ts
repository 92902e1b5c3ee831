import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { root } from "@sonde/bundle/packages";
import { type Architecture, isBuiltFor, programs } from "../programs.ts";
import { type Builder, openBuilder, output, ownArchitecture } from "./builder.ts";
import { type Options, shortName } from "./options.ts";
import { clickHouseImage, natsImage, nodeImage, official, standInOf } from "./stand-ins.ts";

/** Builds the chosen images for each chosen processor, and stand-ins of official images that cannot be pulled. @throws StartupError */
export async function buildImages(options: Options): Promise<void> {
  const { isWanted, into, architectures } = options;
  if (options.signingKey && !existsSync(options.signingKey))
    throw new StartupError(`There is no key ${options.signingKey}: npm run build:agent makes one.`);
  const builder = await openBuilder(options.builder, options.storage);
  if (into) await mkdir(into, { recursive: true });

  const standIns = new Set<string>();
  // The base, and where it brings nats-server, is needed for the others.
  for (const { tags, make } of official) {
    const isNeeded = tags.includes(nodeImage) || tags.includes(natsImage);
    if (!isNeeded && !tags.some((tag) => isWanted(shortName(tag)))) continue;
    if (await isThere(builder, tags)) continue;
    say(`${tags.join(", ")} cannot be pulled; a stand-in for tests is made`);
    for (const architecture of new Set([ownArchitecture, ...(isNeeded ? architectures : [])]))
      await make(builder, architecture);
    for (const tag of tags) {
      standIns.add(tag);
      await save(builder, tag, shortName(tag), into);
    }
  }

  const revision = await output("git", ["-C", root, "rev-parse", "HEAD"]).catch(() => "unknown");
  const committed = await output("git", ["-C", root, "log", "-1", "--format=%ct"]).catch(() => "0");
  const epochSeconds = Number(process.env["SOURCE_DATE_EPOCH"] ?? committed.trim());
  const imageFor = (tag: string, architecture: Architecture) =>
    standIns.has(tag) ? standInOf(tag, architecture) : tag;
  for (const [name, program] of programs) {
    if (!isWanted(name)) continue;
    // Where ClickHouse itself can be pulled its stand-in is not needed.
    if (name === "clickhouse" && !options.isChosen && (await isThere(builder, [clickHouseImage]))) continue;
    const tags: string[] = [];
    for (const architecture of architectures.filter((one) => isBuiltFor(program, one))) {
      const suffix = architecture === architectures[0] ? "" : `-${architecture}`;
      const own = `${options.registry}/sonde/${name}:${options.tag}${suffix}`;
      const tag = name === "clickhouse" ? clickHouseImage : own;
      say(`Building ${tag} for ${architecture} …`);
      await builder.build({
        tag,
        architecture,
        dockerfile: join(root, "deploy/docker/Dockerfile"),
        context: root,
        arguments: {
          SERVICE: name,
          NODE_IMAGE: imageFor(nodeImage, architecture),
          BUILD_IMAGE: nodeImage,
          NATS_IMAGE: imageFor(natsImage, architecture),
          BUILD_NATS_IMAGE: natsImage,
          VERSION: options.tag,
          REVISION: revision.trim(),
          SOURCE_DATE_EPOCH: String(epochSeconds),
        },
        secrets: secrets(options.signingKey),
        epochSeconds,
      });
      if (options.push && name !== "clickhouse") await builder.push(tag);
      await save(builder, tag, name === "clickhouse" ? name : `sonde-${name}${suffix}`, into);
      tags.push(tag);
    }
    if (options.layout && tags.length > 0 && name !== "clickhouse")
      await builder.saveIndex(`sonde/${name}:${options.tag}`, tags, options.layout);
  }
}

/** With buildah a stand-in that was made here earlier counts as absent, and is made again. */
async function isThere(builder: Builder, tags: readonly string[]): Promise<boolean> {
  for (const tag of tags) if (!(await builder.pull(tag))) return false;
  return true;
}

async function save(builder: Builder, tag: string, name: string, into: string | undefined): Promise<void> {
  if (!into) return;
  const file = join(into, `${name}.tar`);
  await rm(`${file}.new`, { force: true });
  await builder.save(tag, `${file}.new`);
  await rename(`${file}.new`, file);
}

/** What npm needs here to reach its registry: a step of the build reads it, and no image holds it. */
function secrets(signingKey: string | undefined): Record<string, string> {
  const files = {
    npmrc: process.env["NPM_CONFIG_USERCONFIG"] ?? join(homedir(), ".npmrc"),
    ca: process.env["NODE_EXTRA_CA_CERTS"],
    "agent-signing-key": signingKey,
  };
  return Object.fromEntries(
    Object.entries(files).flatMap(([id, file]) => (file && existsSync(file) ? [[id, file]] : [])),
  );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
