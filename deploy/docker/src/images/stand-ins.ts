import { chmod, copyFile, cp, mkdir, readdir, rm, symlink } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { type Builder, command, output, ownArchitecture } from "./builder.ts";
import { readPackage, root } from "@sonde/bundle/packages";
import type { Architecture } from "../programs.ts";

export const nodeImage = "docker.io/library/node:26-bookworm-slim";
export const natsImage = "docker.io/library/nats:2.12-alpine";
const postgresImages = ["docker.io/library/postgres:18", "docker.io/library/postgres:18-alpine"];
export const clickHouseImage = "docker.io/clickhouse/clickhouse-server:26.8";

/** npm of the base, which npm itself brings with no Node. */
const npmVersion = "12.2.0";
const sources = join(root, "deploy/docker/test-images");
const work = join(root, "node_modules/.cache/sonde/images");

type MakeStandIn = (builder: Builder, architecture: Architecture) => Promise<void>;

/** What a stand-in is tagged: as the image itself for this machine's processor, since one tag is of one here. */
export const standInOf = (tag: string, architecture: Architecture): string =>
  architecture === ownArchitecture ? tag : `${tag}-${architecture}`;

/** Third-party images that Sonde needs, or runs beside; each with how to make a stand-in if it cannot be pulled. */
export const official: readonly { tags: readonly string[]; make: MakeStandIn }[] = [
  { tags: [nodeImage], make: makeNode },
  { tags: [natsImage], make: makeNats },
  { tags: postgresImages, make: makePostgres },
];

/** Debian and the pinned Node, as npm publishes it. */
async function makeNode(builder: Builder, architecture: Architecture): Promise<void> {
  const context = await contextOf("base", standInOf("base", architecture));
  const rootfs = join(context, "rootfs.tar");
  if (!existsSync(rootfs)) {
    const files = join(work, standInOf("node", architecture));
    await rm(files, { recursive: true, force: true });
    const name = `node-linux-${architecture === "amd64" ? "x64" : architecture}`;
    const version = readPackage(join(root, "deploy/local")).optionalDependencies?.[name] ?? "";
    const node = await unpack(`${name}@${version}`, join(files, "fetched-node"));
    const npm = await unpack(`npm@${npmVersion}`, join(files, "fetched-npm"));
    const [bin, lib] = [join(files, "root/usr/local/bin"), join(files, "root/usr/local/lib/node_modules")];
    for (const folder of [bin, lib]) await mkdir(folder, { recursive: true });
    await copyFile(join(node, "bin/node"), join(bin, "node"));
    await cp(npm, join(lib, "npm"), { recursive: true });
    for (const name of ["npm", "npx"]) {
      await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name));
      await chmod(join(lib, `npm/bin/${name}-cli.js`), 0o755);
    }
    const packages = ["ca-certificates", "libatomic1", "libstdc++6"];
    await makeRootfs(rootfs, `bookworm:${architecture}`, packages, join(files, "root"));
    await rm(files, { recursive: true });
  }
  await build(builder, context, standInOf(nodeImage, architecture), architecture);
}

/** The newest nats-server, which Go builds. */
async function makeNats(builder: Builder, architecture: Architecture): Promise<void> {
  const context = await contextOf("nats", standInOf("nats", architecture));
  if (!existsSync(join(context, "nats-server"))) {
    const flags = ["install", "-trimpath", "-ldflags=-s -w", "github.com/nats-io/nats-server/v2@latest"];
    const [GOPATH, GOMODCACHE] = [join(work, "go"), (await output("go", ["env", "GOMODCACHE"])).trim()];
    // Go refuses a GOBIN for another processor, and installs into a folder of that one.
    await command("go", flags, { CGO_ENABLED: "0", GOARCH: architecture, GOBIN: "", GOPATH, GOMODCACHE });
    const folder = architecture === ownArchitecture ? "bin" : `bin/linux_${architecture}`;
    await copyFile(join(GOPATH, folder, "nats-server"), join(context, "nats-server"));
  }
  await build(builder, context, standInOf(natsImage, architecture), architecture, {
    NODE_IMAGE: standInOf(nodeImage, architecture),
  });
}

/** PostgreSQL of Debian's next release: this one's is older. */
async function makePostgres(builder: Builder): Promise<void> {
  const context = await contextOf("postgres");
  const rootfs = join(context, "rootfs.tar");
  if (!existsSync(rootfs)) await makeRootfs(rootfs, "forky", ["postgresql-18", "libnss-wrapper"]);
  const [first = "", ...others] = postgresImages;
  await build(builder, context, first);
  for (const tag of others) await builder.tag(first, tag);
}

async function makeRootfs(file: string, suite: string, packages: readonly string[], ...folders: string[]) {
  if (process.getuid?.() !== 0) throw new StartupError("debootstrap needs root, and the image cannot be pulled.");
  await command("sh", [join(sources, "rootfs.sh"), file, suite, packages.join(","), ...folders]);
}

/** The folder that an image is built from: its build products are kept, its sources are copied again. */
async function contextOf(name: string, kept = name): Promise<string> {
  const context = join(work, kept);
  await mkdir(context, { recursive: true });
  await cp(join(sources, name), context, { recursive: true });
  return context;
}

const build = (
  builder: Builder,
  context: string,
  tag: string,
  architecture = ownArchitecture,
  given: Record<string, string> = {},
): Promise<void> =>
  builder.build({
    tag,
    architecture,
    dockerfile: join(context, "Dockerfile"),
    context,
    arguments: given,
    secrets: {},
    epochSeconds: 0,
  });

async function unpack(spec: string, into: string): Promise<string> {
  await mkdir(into, { recursive: true });
  await command("npm", ["pack", "--silent", "--pack-destination", into, spec]);
  const [archive = ""] = await readdir(into);
  await command("tar", ["-xzf", join(into, archive), "--no-same-owner", "-C", into]);
  return join(into, "package");
}
