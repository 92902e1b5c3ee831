import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "@sonde/embedded/free-port";
import { findDebianProgram } from "./debian.testing.ts";

/**
 * Starts BIND on 127.0.0.1: a real server responds differently from a stub. It queries no other server, and nothing is
 * installed.
 * @param zones text of each zone file (RFC 1035 §5) by zone name
 * @throws Error with BIND's output
 */
export async function startBind(zones: Readonly<Record<string, string>>) {
  const { program, libraries } = await findDebianProgram("named", { package: "bind9", path: "usr/sbin/named" });
  const folder = await mkdtemp(join(tmpdir(), "sonde-bind-"));
  const port = await freePort();
  const sections = Object.keys(zones).map((zone) => `zone "${zone}" { type primary; file "${zone}.zone"; };`);
  const config = `options {
  directory "${folder}"; managed-keys-directory "${folder}"; pid-file none; session-keyfile none;
  listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
  recursion no; dnssec-validation no;
};
controls { };
${sections.join("\n")}
`;
  await writeFile(join(folder, "named.conf"), config);
  for (const [zone, text] of Object.entries(zones)) await writeFile(join(folder, `${zone}.zone`), text);
  const server = spawn(program, ["-g", "-n", "1", "-c", join(folder, "named.conf")], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(delimiter) },
  });
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
    if (line.includes("not loaded due to errors")) break;
    if (!line.endsWith(" running")) continue;
    server.stderr.resume();
    return { address: `127.0.0.1:${port}`, stop };
  }
  await stop();
  throw new Error(`BIND did not start:\n${log.slice(-10).join("\n")}`);
}
