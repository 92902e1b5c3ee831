import { spawn } from "node:child_process";
import { once } from "node:events";
import { glob, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { findDebianProgram } from "@sonde/kit/testing/debian";
import { freePort } from "./loopback.ts";

export async function startMariadb(statements: readonly string[], tls: { cert: string; key: string }) {
  const source = { package: "mariadb-server-core", path: "usr/sbin/mariadbd" };
  const { program, root, libraries } = await findDebianProgram("mariadbd", source);
  const folder = await mkdtemp(join(tmpdir(), "sonde-mariadb-"));
  const data = join(folder, "data");
  const port = await freePort();
  const env = { ...process.env, LD_LIBRARY_PATH: libraries.join(delimiter) };
  const base = join(root, "usr");
  const user = process.getuid?.() === 0 ? ["--user=root"] : [];
  await mkdir(data);
  await writeFile(join(folder, "cert.pem"), tls.cert);
  await writeFile(join(folder, "key.pem"), tls.key);
  await writeFile(join(folder, "init.sql"), statements.map((statement) => `${statement};\n`).join(""));
  const common = ["--no-defaults", `--basedir=${base}`, `--datadir=${data}`, ...user];
  const messages = `--lc-messages-dir=${join(base, "share/mysql")}`;
  await makeTables(program, [...common, messages, "--bootstrap"], join(base, "share/mysql"), env);
  const server = spawn(
    program,
    [
      ...common,
      messages,
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      `--socket=${join(folder, "socket")}`,
      `--pid-file=${join(folder, "pid")}`,
      `--init-file=${join(folder, "init.sql")}`,
      `--ssl-cert=${join(folder, "cert.pem")}`,
      `--ssl-key=${join(folder, "key.pem")}`,
      "--innodb-buffer-pool-size=16M",
      "--innodb-log-file-size=8M",
    ],
    { stdio: ["ignore", "ignore", "pipe"], env },
  );
  const exited = new Promise<void>((done) => server.once("close", () => done()));
  const stop = async () => {
    server.kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  await once(server, "spawn");
  const log: string[] = [];
  for await (const line of createInterface(server.stderr)) {
    log.push(line);
    if (!line.includes("ready for connections")) continue;
    server.stderr.resume();
    return { port, stop };
  }
  await stop();
  throw new Error(`MariaDB did not start:\n${log.slice(-15).join("\n")}`);
}

/** Creates the system tables like mariadb-install-db, which would need another package. */
async function makeTables(program: string, args: string[], scripts: string, env: NodeJS.ProcessEnv): Promise<void> {
  const [file] = await Array.fromAsync(glob("*_system_tables.sql", { cwd: scripts }));
  const tables = await readFile(join(scripts, file ?? "mariadb_system_tables.sql"), "utf8");
  const bootstrap = spawn(program, args, { stdio: ["pipe", "ignore", "pipe"], env });
  const log: Buffer[] = [];
  bootstrap.stderr.on("data", (chunk: Buffer) => log.push(chunk));
  bootstrap.stdin.end(`CREATE DATABASE mysql;\nUSE mysql;\n${tables}`);
  const [code] = (await once(bootstrap, "close")) as [number];
  if (code !== 0) throw new Error(`MariaDB did not create its tables:\n${Buffer.concat(log).toString().slice(-2000)}`);
}
