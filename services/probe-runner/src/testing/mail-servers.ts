import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { offerServer } from "@sonde/kit/testing/debian-server";
import { freePort } from "./loopback.ts";

const [dovecot, postfix] = [
  await offerServer("dovecot", { package: "dovecot-imapd", also: ["dovecot-pop3d"], path: "usr/sbin/dovecot" }),
  await offerServer("postfix", { package: "postfix", path: "usr/lib/postfix/sbin/master" }),
];
export const hasMailServers = dovecot !== null && postfix !== null;

// Ids of two users that exist on every Debian.
const [daemon, nobody] = [1, 65_534];

export type MailPorts = Record<"smtp" | "imap" | "pop3", Record<"none" | "starttls" | "tls", number>>;

export async function startMailServers(
  users: Readonly<Record<string, string>>,
  certificate: { cert: string; key: string },
): Promise<{ ports: MailPorts; stop(): Promise<void> }> {
  if (dovecot === null || postfix === null) throw new Error("Mail servers are not available");
  const folder = await mkdtemp(join(tmpdir(), "sonde-mail-"));
  await chmod(folder, 0o755);
  const [auth, smtp, smtps, imap, imaps, pop3, pop3s] = await Promise.all(Array.from({ length: 7 }, freePort));
  const files = {
    "cert.pem": certificate.cert,
    "key.pem": certificate.key,
    users: Object.entries(users).map(([name, password]) => `${name}:{PLAIN}${password}\n`),
    "dovecot.conf": dovecotSettings(folder, { imap: imap!, imaps: imaps!, pop3: pop3!, pop3s: pop3s!, auth: auth! }),
    "main.cf": postfixSettings(folder, auth!),
    "master.cf": postfixServices(smtp!, smtps!),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await mkdir(join(folder, "home"));
  await chown(join(folder, "home"), nobody, nobody);
  await makeQueue(folder);
  const stopDovecot = await dovecot(["-F", "-c", join(folder, "dovecot.conf")], imap!);
  const stopPostfix = await postfix(["-c", folder, "-d"], smtp!);
  return {
    ports: {
      smtp: { none: smtp!, starttls: smtp!, tls: smtps! },
      imap: { none: imap!, starttls: imap!, tls: imaps! },
      pop3: { none: pop3!, starttls: pop3!, tls: pop3s! },
    },
    stop: async () => {
      await stopPostfix();
      await stopDovecot();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const dovecotSettings = (folder: string, ports: Record<"imap" | "imaps" | "pop3" | "pop3s" | "auth", number>) => `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = /dev/stderr
protocols = imap pop3
listen = 127.0.0.1
default_internal_user = nobody
default_internal_group = nogroup
default_login_user = nobody
first_valid_uid = 1
ssl = required
ssl_cert = <${folder}/cert.pem
ssl_key = <${folder}/key.pem
auth_mechanisms = plain login
auth_failure_delay = 0
auth_username_chars =
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = static
  args = uid=${nobody} gid=${nobody} home=${folder}/home/%u
}
mail_location = maildir:~/mail
service anvil {
  chroot =
  # Else each refused login makes those that follow it slower.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
service auth {
  inet_listener {
    port = ${ports.auth}
  }
}
${(["imap", "pop3"] as const)
  .map(
    (protocol) => `service ${protocol}-login {
  chroot =
  inet_listener ${protocol} {
    port = ${ports[protocol]}
  }
  inet_listener ${protocol}s {
    port = ${ports[`${protocol}s`]}
    ssl = yes
  }
}
`,
  )
  .join("")}`;

const postfixSettings = (folder: string, auth: number) => `
compatibility_level = 3.6
myhostname = mail.test
queue_directory = ${folder}/queue
data_directory = ${folder}/data
maillog_file = ${folder}/mail.log
maillog_file_prefixes = ${folder}
mail_owner = daemon
setgid_group = games
daemon_directory = /usr/lib/postfix/sbin
shlib_directory = /usr/lib/postfix
meta_directory = /usr/share/postfix
inet_interfaces = 127.0.0.1
local_recipient_maps =
smtpd_tls_cert_file = ${folder}/cert.pem
smtpd_tls_key_file = ${folder}/key.pem
smtpd_tls_security_level = may
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${auth}
`;

const postfixServices = (smtp: number, smtps: number) => `
127.0.0.1:${smtp} inet n - n - - smtpd
127.0.0.1:${smtps} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
rewrite unix - - n - - trivial-rewrite
tlsmgr unix - - n - 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
`;

async function makeQueue(folder: string): Promise<void> {
  for (const name of ["data", "queue/pid", "queue/private", "queue/public"]) {
    await mkdir(join(folder, name), { recursive: true });
    if (name !== "queue/pid") await chown(join(folder, name), daemon, daemon);
  }
}
