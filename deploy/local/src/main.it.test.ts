import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { compiled } from "./testing/compiled.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-main-"));
  await chmod(folder, 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

async function runToEnd(
  environment: NodeJS.ProcessEnv,
  { words = [], uid }: { words?: string[]; uid?: number } = {},
): Promise<{ code: unknown; output: string; errors: string }> {
  const env = { PATH: process.env.PATH, ...compiled, SONDE_DATA_DIR: join(folder, "data"), ...environment };
  const child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...words], { env, uid, gid: uid });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = await once(child, "close");
  return { code, output, errors };
}

it("ends with one clear line when its port is in use, before anything is started", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const run = await runToEnd({ PORT: String(port) });
  server.close();

  expect(run).toEqual({
    code: 1,
    output: "",
    errors: `Port ${port} on 127.0.0.1 is in use by another program. Stop it, or set PORT to a different port.\n`,
  });
});

it("reports every error in its environment and starts nothing", async () => {
  const run = await runToEnd({ PORT: "none", CLICKHOUSE_URL: "localhost" });

  expect(run.code).toBe(1);
  expect(run.output).toBe("");
  expect(run.errors).toMatch(/^The configuration is not valid\.\n {2}PORT: .+\n {2}CLICKHOUSE_URL: .+\n$/);
});

it("loads no service and almost no library, because it stays in memory", async () => {
  const list = join(folder, "loaded");
  const hook = `import { appendFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    if (process.argv[1]?.endsWith("main.ts")) registerHooks({
      load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + "\\n"); return next(url, context); },
    });`;

  await runToEnd({ PORT: "none", NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` });

  const loaded = (await readFile(list, "utf8")).split("\n").filter((url) => url.startsWith("file:"));
  expect(loaded.some((url) => url.endsWith("/supervisor/keep-running.ts"))).toBe(true);
  expect(loaded.filter((url) => /node_modules\/(?!ipaddr\.js\/)|services\/(?!kit\/)/.test(url))).toEqual([]);
});

it("names the folder that it cannot use", async () => {
  await writeFile(join(folder, "file"), "");

  const run = await runToEnd({ SONDE_DATA_DIR: join(folder, "file", "data") });

  expect(run).toEqual({
    code: 1,
    output: "",
    errors: `${join(folder, "file")} is a file; Sonde needs a folder there.\n`,
  });
});

it.runIf(isRoot)("names the user that cannot write to the data directory", async () => {
  const dataDir = join(folder, "data");
  await mkdir(dataDir, { mode: 0o755 });

  const run = await runToEnd({}, { uid: nobody });

  expect(run).toEqual({
    code: 1,
    output: "",
    errors:
      `User ${nobody} cannot write to ${dataDir}, which belongs to user 0. ` +
      "Give the folder to this user (chown -R), or set SONDE_DATA_DIR to another one.\n",
  });
});

it.runIf(isRoot)("names the file that another user owns", async () => {
  const dataDir = join(folder, "data");
  await mkdir(dataDir);
  await chmod(dataDir, 0o777);
  await writeFile(join(dataDir, "run.lock"), "", { mode: 0o600 });

  const run = await runToEnd({}, { uid: nobody });

  expect(run).toMatchObject({ code: 1, output: "" });
  expect(run.errors).toMatch(/^User 65534 cannot write \S+run\.lock, which belongs to another user\. .*\n$/);
});

it.each([["recover-admin"], ["backup", "/tmp/none.tar"]])("%s does not create an installation", async (...words) => {
  const dataDir = join(folder, "mistyped");

  const run = await runToEnd({ SONDE_DATA_DIR: dataDir }, { words });

  expect(run).toMatchObject({
    code: 1,
    output: "",
    errors: expect.stringMatching(/no Sonde|Sonde is not running/i),
  });
  expect(run.errors).toContain(dataDir);
  expect(await readdir(folder)).toEqual([]);
});
