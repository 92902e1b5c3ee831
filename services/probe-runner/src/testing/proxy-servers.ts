import { type DebianSource, findDebianProgram } from "@sonde/kit/testing/debian";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { offerServer, startListening } from "@sonde/kit/testing/debian-server";
import { freePort } from "./loopback.ts";

type Login = { username: string; password: string };

export async function startTinyproxy(login?: Login) {
  const folder = await mkdtemp(join(tmpdir(), "sonde-tinyproxy-"));
  const port = await freePort();
  const lines = [`Port ${port}`, "Listen 127.0.0.1", "Timeout 60", "MaxClients 20", "LogLevel Warning"];
  if (login !== undefined) lines.push(`BasicAuth ${login.username} ${login.password}`);
  await writeFile(join(folder, "tinyproxy.conf"), lines.join("\n"));
  const source = { package: "tinyproxy-bin", path: "usr/bin/tinyproxy" };
  const stop = await start("tinyproxy", source, ["-d", "-c", join(folder, "tinyproxy.conf")], port);
  return {
    port,
    stop: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function startMicrosocks(login?: Login) {
  const port = await freePort();
  const source = { package: "microsocks", path: "usr/bin/microsocks" };
  const args = login === undefined ? [] : ["-u", login.username, "-P", login.password];
  const stop = await start("microsocks", source, ["-i", "127.0.0.1", "-p", String(port), ...args], port);
  return { port, stop };
}

export const [squid, dante] = [
  await offerServer("squid", { package: "squid", path: "usr/sbin/squid" }),
  await offerServer("danted", { package: "dante-server", path: "usr/sbin/danted" }),
];

export async function startSquid(certificate: { cert: string; key: string }, login?: Login) {
  const folder = await mkdtemp(join(tmpdir(), "sonde-squid-"));
  await chmod(folder, 0o755);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const files = {
    "cert.pem": certificate.cert,
    "key.pem": certificate.key,
    "logins.sh": `while read -r login; do [ "$login" = "${lineOf(login)}" ] && echo OK || echo ERR; done\n`,
    "squid.conf": squidSettings(folder, { port, tlsPort }, login !== undefined),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const stop = await squid!(["-N", "-f", join(folder, "squid.conf")], tlsPort);
  return { port, tlsPort, stop: () => stop().then(() => rm(folder, { recursive: true, force: true })) };
}

const lineOf = ({ username = "", password = "" }: Partial<Login> = {}) =>
  `${encodeURIComponent(username)} ${encodeURIComponent(password)}`;

const squidSettings = (folder: string, ports: { port: number; tlsPort: number }, hasLogin: boolean) => `
http_port 127.0.0.1:${ports.port}
https_port 127.0.0.1:${ports.tlsPort} tls-cert=${folder}/cert.pem tls-key=${folder}/key.pem
visible_hostname proxy.test
cache deny all
cache_log /dev/null
access_log none
pid_filename none
coredump_dir ${folder}
cache_effective_user nobody
cache_effective_group nogroup
pinger_enable off
shutdown_lifetime 0 seconds
auth_param basic program /bin/sh ${folder}/logins.sh
acl known proxy_auth REQUIRED
http_access allow ${hasLogin ? "known" : "all"}
http_access deny all
`;

/** Starts a SOCKS 5 proxy on loopback (Dante), without a login because it would need the machine's accounts. */
export async function startDante() {
  const folder = await mkdtemp(join(tmpdir(), "sonde-dante-"));
  const port = await freePort();
  const settings = `
logoutput: stderr
internal: 127.0.0.1 port = ${port}
external: 127.0.0.1
clientmethod: none
socksmethod: none
user.privileged: root
user.unprivileged: nobody
client pass { from: 0/0 to: 0/0 }
socks pass { from: 0/0 to: 0/0 }
`;
  await writeFile(join(folder, "danted.conf"), settings);
  const stop = await dante!(["-f", join(folder, "danted.conf")], port);
  return { port, stop: () => stop().then(() => rm(folder, { recursive: true, force: true })) };
}

async function start(name: string, source: DebianSource, args: string[], port: number) {
  const { program, libraries } = await findDebianProgram(name, source);
  return startListening(program, args, port, { LD_LIBRARY_PATH: libraries.join(delimiter) });
}
