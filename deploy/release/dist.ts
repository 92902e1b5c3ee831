/** Builds what a release consists of into `dist/`. Nothing leaves this machine. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { bundleCommand } from "@sonde/cli/build";
import { StartupError } from "@sonde/kit/embedded/startup-error";
import { buildImages } from "../docker/src/images/build-all.ts";
import { command } from "../docker/src/images/builder.ts";
import { readOptions } from "../docker/src/images/options.ts";
import { programs } from "../docker/src/programs.ts";
import { findProgram } from "../verify/chart/tools.ts";
import { filesIn, readLayout } from "./layout.ts";
import { sbomOf } from "./sbom.ts";

export type DistInput = {
  root: string;
  dist: string;
  version: string;
  /** When the tree was committed, seconds since 1970: the date of every file. */
  epochSeconds: number;
  /** The changelog of this version. */
  notes: string;
  /** Further words for `npm run images`. */
  forImages: readonly string[];
};

type Step = { name: string; run: (input: DistInput) => Promise<void> };

const steps: readonly Step[] = [
  { name: "Images for amd64 and arm64, as one OCI layout", run: makeImages },
  { name: "Digests and lists of contents (SBOM)", run: writeDigests },
  { name: "The agents' archives", run: takeArchives },
  { name: "The chart", run: packChart },
  { name: "The command", run: packCommand },
  { name: "Notes and sums", run: writeSums },
];

/**
 * Builds all of it. The sums are written last: where a step failed, there are none.
 * @throws StartupError
 */
export async function makeDist(input: DistInput, say: (line: string) => void): Promise<void> {
  await rm(input.dist, { recursive: true, force: true });
  await mkdir(input.dist, { recursive: true });
  // Before what takes long.
  await helm();
  for (const [at, { name, run }] of steps.entries()) {
    say(`[${at + 1}/${steps.length}] ${name}`);
    await run(input);
  }
}

const layoutOf = (dist: string) => join(dist, "images");

async function makeImages({ dist, version, forImages }: DistInput): Promise<void> {
  const released = [...programs].flatMap(([name, { isForTests }]) => (isForTests ? [] : [name])).join(",");
  const ours = ["--builder", "buildah", "--arch", "amd64,arm64", "--tag", version, "--layout", layoutOf(dist)];
  // Of an option that is given twice, the later one counts.
  await buildImages(readOptions([...ours, "--only", released, ...forImages]));
}

/** `images.txt`: a line for each index and each image in it; `sbom/`: a list for each image, named by its digest. */
export async function writeDigests({ dist }: Pick<DistInput, "dist">): Promise<void> {
  const lines: string[] = [];
  await mkdir(join(dist, "sbom"));
  for (const { name, digest, images } of await readLayout(layoutOf(dist))) {
    lines.push(`${name} index ${digest}`);
    for (const image of images) {
      lines.push(`${name} ${image.platform} ${image.digest}`);
      await writeFile(join(dist, "sbom", `${image.digest.replace(":", "-")}.cdx.json`), await sbomOf(image));
    }
  }
  await writeFile(join(dist, "images.txt"), `${lines.join("\n")}\n`);
}

/** Takes the archives out of their image: their signature must be the one that installations have. */
export async function takeArchives({ dist }: Pick<DistInput, "dist">): Promise<void> {
  const agents = (await readLayout(layoutOf(dist))).find(({ name }) => name.startsWith("sonde/agents:"));
  if (agents === undefined) return; // It was not chosen.
  const into = join(dist, "agents");
  await mkdir(into);
  for (const layer of agents.images[0]?.layers ?? []) {
    if (!(await filesIn(layer)).some((path) => path.startsWith("app/archives/"))) continue;
    await command("tar", ["-xf", layer, "--strip-components=2", "--no-same-owner", "-C", into, "app/archives"]);
  }
}

async function helm(): Promise<string> {
  const found = await findProgram("helm");
  if (found === null) throw new StartupError("The chart needs helm.");
  return found;
}

/** Packs the chart as helm does, and again with one date, so that the same commit makes the same bytes. */
async function packChart({ root, dist, version, epochSeconds }: DistInput): Promise<void> {
  await inFolder(async (work) => {
    const name = `sonde-${version}.tgz`;
    await command(await helm(), ["package", join(root, "charts/sonde"), "--destination", work]);
    await command("tar", ["-xzf", join(work, name), "-C", work]);
    const same = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", `--mtime=@${epochSeconds}`];
    await command("tar", [...same, "--use-compress-program=gzip -n", "-cf", join(dist, name), "-C", work, "sonde"]);
  });
}

/** The command as a package that npm installs from its file. */
async function packCommand({ root, dist, version }: DistInput): Promise<void> {
  await inFolder(async (work) => {
    const about = {
      name: "@sonde/cli",
      version,
      description: "Sonde as code: keeps monitors and all that belongs to them in files.",
      license: "MIT",
      type: "module",
      bin: { sonde: "sonde.mjs" },
      engines: { node: ">=20" },
    };
    await writeFile(join(work, "package.json"), `${JSON.stringify(about, null, 2)}\n`);
    await writeFile(join(work, "sonde.mjs"), await bundleCommand(), { mode: 0o755 });
    await copyFile(join(root, "LICENSE"), join(work, "LICENSE"));
    await copyFile(join(root, "docs/as-code.md"), join(work, "README.md"));
    await command("npm", ["pack", "--silent", "--pack-destination", dist, work]);
  });
}

/** `NOTES.md` and `SHA256SUMS`, of all but the blobs of images, which are named by their sums. */
async function writeSums({ dist, notes, epochSeconds }: DistInput): Promise<void> {
  await writeFile(join(dist, "NOTES.md"), notes);
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const lines: string[] = [];
  for (const file of files.toSorted()) {
    const path = relative(dist, file);
    await utimes(file, epochSeconds, epochSeconds);
    if (path.startsWith("images/blobs/")) continue;
    lines.push(`${await sumOf(file)}  ${path}\n`);
  }
  await writeFile(join(dist, "SHA256SUMS"), lines.join(""));
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-release-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
