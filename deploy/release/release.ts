/**
 * `npm run release -- 1.0.1`: checks the tree, writes version and changelog, commits and tags them, and builds `dist/`.
 * docs/releasing.md describes the options and how to publish `dist/`.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "@sonde/bundle/packages";
import { bundleCommand } from "@sonde/cli/build";
import { StartupError } from "@sonde/kit/service/startup-error";
import { findProgram } from "../verify/chart/tools.ts";
import { checkTree, commitRelease, notesOfTree, planRelease } from "./tree.ts";
import { versionOf } from "./versions.ts";

const dist = join(root, "dist");

async function release(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: "boolean", default: false }, "signing-key": { type: "string" } },
  });
  const [version, ...more] = positionals;
  if (more.length > 0) throw new StartupError("Specify at most one version.");
  const helm = await findProgram("helm");
  if (helm === null) throw new StartupError("A release needs helm: npm run verify -- --fetch-helm builds it with Go.");
  await checkTree(root);
  if (version !== undefined) {
    const changelog = await planRelease(root, version, new Date().toISOString().slice(0, 10));
    if (values.check) console.log(`${version} can be released; the tree is unchanged`);
    else await commitRelease(root, version, changelog);
  }
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  buildAgents(resolve(values["signing-key"] ?? join(root, "agent/signing-key.pem")));
  run(helm, ["package", join(root, "charts/sonde"), "--destination", dist]);
  await packCommand(await versionOf(root));
  writeFileSync(join(dist, "NOTES.md"), await notesOfTree(root));
  // Last, because publish.sh takes the sums as a sign of a complete build.
  writeFileSync(join(dist, "SHA256SUMS"), execFileSync("sha256sum", filesIn(dist), { cwd: dist }));
  console.log(`dist/ contains ${await versionOf(root)}. Nothing was published: see docs/releasing.md.`);
}

function buildAgents(key: string): void {
  const into = join(dist, "agents");
  run(process.execPath, [join(root, "agent/build/build.ts"), "--into", into, "--key", key, "all"]);
  for (const entry of readdirSync(into, { withFileTypes: true }))
    if (entry.isDirectory()) rmSync(join(into, entry.name), { recursive: true });
}

async function packCommand(version: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sonde-command-"));
  const about = {
    name: "@sonde/cli",
    version,
    description: "Sonde as code: manages monitors and related configuration in files.",
    license: "MIT",
    type: "module",
    bin: { sonde: "sonde.mjs" },
    engines: { node: ">=20" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(about, null, 2));
  writeFileSync(join(folder, "sonde.mjs"), await bundleCommand(), { mode: 0o755 });
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  copyFileSync(join(root, "docs/as-code.md"), join(folder, "README.md"));
  run("npm", ["pack", "--silent", "--pack-destination", dist, folder]);
  rmSync(folder, { recursive: true });
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .toSorted();

const run = (program: string, args: readonly string[]) =>
  void execFileSync(program, args, { cwd: dist, stdio: ["ignore", "inherit", "inherit"] });

try {
  await release();
} catch (fault) {
  // User errors are printed without a stack.
  const { message, stack, code = "" } = fault as NodeJS.ErrnoException;
  const isMistake = fault instanceof StartupError || code.startsWith("ERR_PARSE_ARGS");
  process.stderr.write(`${isMistake ? message : stack}\n`);
  process.exit(1);
}
