import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "@sonde/embedded/free-port";
import { findDebianProgram } from "./debian.testing.ts";

/**
 * Starts BIND, the name server of ISC, on 127.0.0.1 for tests of names: real servers' answers differ from a stand-in's.
 * It queries no other server, and nothing is installed on the machine.
 *
 * @param zones the text of each zone file (RFC 1035 §5) by the zone's name
 * @returns its `address` (`127.0.0.1:port`), and `stop`
 * @throws Error with BIND's output if it does not start or a zone has a fault
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
