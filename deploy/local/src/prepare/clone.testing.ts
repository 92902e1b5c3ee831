import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A lock file with a package to run, one for development, one for another platform, and workspaces. */
export const lock = (version: string, workspaces: readonly string[] = []) =>
  JSON.stringify({
    packages: {
      "": {},
      ...Object.fromEntries(workspaces.map((name) => [`node_modules/${name}`, { resolved: name, link: true }])),
      "node_modules/koa": { version },
      "node_modules/vitest": { version, dev: true },
      "node_modules/fsevents": { version, optional: true, os: ["darwin"] },
      [bindings]: { version, optional: true, os: ["linux"], cpu: [process.arch] },
    },
  });
export const pinned = `node_modules/node-linux-${process.arch}`;
export const bindings = "node_modules/@rolldown/binding-linux";

const npm = `
  import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
  const log = (word) => appendFileSync("npm.log", word + "\\n");
  const [command, , , , , , outDir] = process.argv.slice(2);
  log("begin " + [command, ...process.argv.filter((word) => word === "--omit=dev")].join(" "));
  if (command === "ci") rmSync("node_modules", { recursive: true, force: true });
  while (existsSync("hold")) await new Promise((resolve) => setTimeout(resolve, 20));
  if (existsSync("fail")) process.exit(1);
  if (existsSync("ends-early")) process.exit(0);
  if (command === "ci" || command === "install") {
    mkdirSync("${pinned}/bin", { recursive: true });
    if (!existsSync("${pinned}/bin/node")) symlinkSync("${process.execPath}", "${pinned}/bin/node");
    const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
    if (process.argv.includes("--omit=dev")) delete packages["node_modules/vitest"];
    else mkdirSync("node_modules/vitest", { recursive: true });
    for (const [path, { link, resolved }] of Object.entries(packages))
      if (link && !existsSync(path)) symlinkSync("../" + resolved, path);
    const isRefused = existsSync("needs-newer-node") && !process.argv0.endsWith("${pinned}/bin/node");
    if (isRefused || existsSync("offline")) delete packages["${bindings}"];
    writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }));
  } else {
    const word = existsSync("web/src/word") ? readFileSync("web/src/word", "utf8") : "built";
    mkdirSync(outDir + "/assets", { recursive: true });
    writeFileSync(outDir + "/index.html", word);
    writeFileSync(outDir + "/assets/c-" + word + ".js", word);
  }
  log("end " + command);`;

type Start = {
  where?: string;
  onlyToRun?: boolean;
  part?: "services" | "web" | "docs";
  isSpare?: boolean;
  machine?: object;
  before?: string;
};

/** Gives each test of a file a clone with a fake npm that records its arguments. */
export function useClone() {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "sonde-prepare-"));
    await createClone("clone");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const at = (...path: string[]) => join(folder, "clone", ...path);
  async function createClone(name: string): Promise<string> {
    const made = join(folder, name);
    await mkdir(join(made, "deploy/local"), { recursive: true });
    await mkdir(join(made, "web/src"), { recursive: true });
    for (const name of ["prepare.mjs", "steps.mjs"])
      await cp(resolve(import.meta.dirname, "../..", name), join(made, "deploy/local", name));
    await writeFile(join(made, "package-lock.json"), lock("1.0.0"));
    await writeFile(join(made, "npm-cli.js"), npm);
    await writeFile(join(made, "package.json"), '{"type":"module"}');
    return made;
  }
  return {
    at,
    createClone,
    log: () => readFile(at("npm.log"), "utf8").catch(() => ""),
    start({ where = at(), onlyToRun = false, part = "web", isSpare = false, machine = {}, before = "" }: Start = {}) {
      const own = `for (const [name, value] of Object.entries({ ${Object.entries(machine)
        .map(([name, value]) => `${name}: ${typeof value === "function" ? String(value) : JSON.stringify(value)}`)
        .join(", ")} })) Object.defineProperty(process, name, { value });`;
      const script = `${own} ${before} const { install, build } = await import("./deploy/local/prepare.mjs");
        await install({ onlyToRun: ${onlyToRun} }); await build("${part}", { isSpare: ${isSpare} });`;
      const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
        cwd: where,
        env: { PATH: process.env.PATH, npm_execpath: join(where, "npm-cli.js") },
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (output += String(chunk)));
      return { process: child, output: () => output, ended: once(child, "close") };
    },
  };
}
