import { freePort } from "@sonde/embedded/free-port";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { killTree } from "@sonde/testing/process-tree";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

export type Toolchain = { node: string; npm: string };

/**
 * Runs `npm start` and `npm test` for one file in a copy of this tree, with only this Node and npm and an empty npm
 * cache.
 */
export async function expectFirstStart(versions: Toolchain): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sonde-first-start-"));
  await chmod(folder, 0o711); // PostgreSQL's user gets to its data directory if root runs this.
  try {
    const clone = join(folder, "sonde");
    await mkdir(clone);
    await run("sh", ["-c", `git ls-files -z -co --exclude-standard | xargs -0 cp -P --parents -t "${clone}"`], {
      cwd: root,
    });
    const path = [await install(versions, folder), "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(":");
    const own = Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|NODE_(?!EXTRA_CA)|INIT_CWD$|VITEST|CI$)/.test(name),
    );
    const env = {
      ...Object.fromEntries(own),
      PATH: path,
      SONDE_DATA_DIR: join(folder, "data"),
      npm_config_cache: join(folder, "cache"),
    };

    await start(clone, { ...env, PORT: String(await freePort()) });
    const { stdout } = await run("npm", ["test", "--", "--project", "unit", "services/kit/src/time"], {
      cwd: clone,
      env,
    });
    expect(stdout).toMatch(/Test Files .*passed/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function start(clone: string, env: NodeJS.ProcessEnv & { PORT: string }): Promise<void> {
  const child = spawn("npm", ["start"], { cwd: clone, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  const ready = Promise.withResolvers<void>();
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes(`Sonde is ready: http://127.0.0.1:${env.PORT}`)) ready.resolve();
    });
  try {
    await Promise.race([
      ready.promise,
      ended.then(() => expect.fail(`npm start exited before it was ready:\n${output}`)),
    ]);
    expect((await fetch(`http://127.0.0.1:${env.PORT}/`)).status).toBe(200);
    child.kill("SIGINT");
    await ended;
  } finally {
    if (child.pid !== undefined) await killTree(child.pid);
  }
}

async function install({ node, npm }: Toolchain, folder: string): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const unpack = async (name: string) => {
    const target = join(folder, name.replace(/@[^@]*$/, ""));
    await run("npm", ["pack", "--silent", "--pack-destination", folder, name], { cwd: folder });
    const archive = (await readdir(folder)).find((file) => file.endsWith(".tgz"))!;
    await run("tar", ["xzf", join(folder, archive), "-C", folder]);
    await rename(join(folder, "package"), target);
    await rm(join(folder, archive));
    return target;
  };
  const nodeFolder = await unpack(`node-linux-${process.arch}@${node}`);
  const npmFolder = await unpack(`npm@${npm}`);
  await symlink(join(nodeFolder, "bin/node"), join(bin, "node"));
  for (const name of ["npm", "npx"]) {
    const script = `#!/bin/sh\nexec "${bin}/node" "${npmFolder}/bin/${name}-cli.js" "$@"\n`;
    await writeFile(join(bin, name), script, { mode: 0o755 });
  }
  return bin;
}
