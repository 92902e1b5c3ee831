import { installLine, installScript, installScriptPath } from "@sonde/proto/http/agents/install-script";
import { systemdUnit } from "@sonde/proto/http/agents/install";
import { ensureSigningKey, writeSums } from "@sonde/agent/build/sums";
import { execFile } from "node:child_process";
import { createHash, createPublicKey } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freshMachine, type Machine } from "../support/fresh-machine.ts";

// Stands in for the agent: records its arguments, token and user. The token `spent` fails.
const agent = `#!/bin/sh
folder=\${SONDE_AGENT_DIR:-.}
if [ "$1" = run ]; then echo "running in $folder"; exit; fi
echo "$@" >"$folder/arguments"
token=$(cat)
echo "$token for $(id -un)" >"$folder/token"
[ "$token" != spent ] || exit 4
`;

let machine: Machine;
let folder: string;
let server: Server;
let script: string;

beforeEach(async () => {
  machine = await freshMachine();
  folder = await mkdtemp(join(tmpdir(), "sonde-one-line-"));
  const archive = `sonde-agent-${process.platform}-${process.arch}.tar.xz`;
  await writeFile(join(folder, "sonde-agent"), agent, { mode: 0o755 });
  await promisify(execFile)("tar", ["-cJf", join(folder, archive), "-C", folder, "sonde-agent"]);
  const key = await ensureSigningKey(join(folder, "keys/own.pem"));
  await writeSums(folder, key);
  const downloadKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  script = installScript({ downloadUrl: null, downloadKey });
  server = createServer((request, response) => {
    const path = request.url ?? "";
    if (path === installScriptPath) return void response.end(script);
    readFile(join(folder, path.replace("/downloads/", ""))).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  server.close();
  await machine.remove();
  await rm(folder, { recursive: true, force: true });
});

/** The guide's line. The host 0.0.0.0 also reaches this machine, but Sonde does not treat it as local. */
function line({ token = "tok_once", host = "127.0.0.1", withoutService = false } = {}): string {
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  const scriptSha256 = createHash("sha256").update(script).digest("hex");
  return installLine({ origin, token, intervalSeconds: 5, scriptSha256, withoutService });
}
async function paste(text: string): Promise<{ code: unknown; output: string }> {
  const session = machine.start(text);
  return { code: await session.ended, output: session.output() };
}

test("without a service the agent is installed in the current folder, reads the token from standard input, and runs", async () => {
  const { code, output } = await paste(line({ withoutService: true }));
  expect(output).toContain("running in .");
  expect(code).toBe(0);
  expect(await machine.run("cat arguments")).toMatch(/^register --server http:\/\/127\.0\.0\.1:\d+ --interval 5\n$/);
  expect(await machine.run("cat token")).toMatch(/^tok_once for /);
});

test("a script that was modified in transit over plain HTTP is not run", async () => {
  const plain = line({ host: "0.0.0.0", withoutService: true });
  script = script.replace("main() {", "main() { echo changed; ");
  const { code, output } = await paste(plain);
  expect(code).not.toBe(0);
  expect(output).toContain("sonde-install.sh: FAILED");
  expect(output).not.toContain("changed");
  expect((await paste(line({ host: "0.0.0.0", withoutService: true }))).output).toContain("running in .");
  expect(await machine.run("cat arguments")).toContain("--allow-http");
});

test("a modified archive is not installed", async () => {
  await writeFile(join(folder, `sonde-agent-${process.platform}-${process.arch}.tar.xz`), "something else");
  expect((await paste(line({ withoutService: true }))).code).not.toBe(0);
  await expect(machine.run("cat arguments")).rejects.toThrow("No such file");
});

test("the service is installed as root, and not at all if registration fails", async ({ skip }) => {
  if (machine.kind === "shared") return skip("it would change the machine itself");
  // This machine has no service manager. The script must report that before it uses the token.
  const refused = await paste(line());
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.output).toContain("systemd does not run on this machine. Add --no-service");
  await expect(machine.run("ls /usr/local/bin/sonde-agent")).rejects.toThrow("No such file");

  const manager = "#!/bin/sh\necho $* >>/root/systemctl";
  await machine.run(
    `mkdir -p /run/systemd/system && echo '${manager}' >/usr/local/bin/systemctl && chmod 755 /usr/local/bin/systemctl`,
  );
  // A user without root sees why sudo asks. If sudo refuses, nothing is installed.
  await machine.run("printf '#!/bin/sh\\nexit 1\\n' >/usr/local/bin/sudo && chmod 755 /usr/local/bin/sudo");
  const asNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups sh";
  const nobody = await paste(`cd /tmp && ${asNobody} <<'LINE'\n${line()}\nLINE`);
  expect(nobody).toMatchObject({ code: 1 });
  expect(nobody.output.trim()).toBe("Installing the service needs root: sudo may ask for your password.");

  const spent = await paste(line({ token: "spent" }));
  expect(spent.code).toBe(4);
  await expect(machine.run("ls /etc/systemd/system/sonde-agent.service")).rejects.toThrow("No such file");

  const { code, output } = await paste(line());
  expect(output).toContain("The agent runs, and starts with the machine.");
  expect(code).toBe(0);
  expect(await machine.run("cat /root/systemctl")).toBe("daemon-reload\nenable sonde-agent\nrestart sonde-agent\n");
  expect(await machine.run("cat /etc/systemd/system/sonde-agent.service")).toBe(systemdUnit());
  expect(await machine.run("cat /var/lib/sonde-agent/token")).toBe("tok_once for sonde-agent\n");
  expect(await machine.run("cd /var/lib/sonde-agent && stat -c '%U %a' . /usr/local/bin/sonde-agent")).toBe(
    "sonde-agent 700\nroot 755\n",
  );
});
