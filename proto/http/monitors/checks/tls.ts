import * as z from "zod";
import { host, hostAndPort, minDaysLeft, port } from "./fields.ts";
import { kind } from "./kind.ts";

/** Protocols that start unencrypted and upgrade to TLS. */
export const startTlsProtocols = ["smtp", "imap", "pop3", "ftp", "ldap", "postgres", "mysql"] as const;
export type StartTls = (typeof startTlsProtocols)[number];

/** A TLS server's certificate: chain, name and expiry. */
export const tls = kind({
  type: "tls",
  fields: {
    host,
    port: port.default(443),
    servername: host.optional().meta({
      description: "Server name to request (SNI) and to verify the certificate against; the host by default.",
    }),
    minDaysLeft: minDaysLeft.default(14),
    starttls: z.enum(startTlsProtocols).optional().meta({
      description:
        "Protocol used to negotiate TLS; if absent, TLS starts immediately. A MySQL server counts each check as an interrupted connection (max_connect_errors) unless it runs with skip_name_resolve.",
    }),
  },
  target: (check) => `tls://${hostAndPort(check.host, check.port)}`,
  hosts: (check) => [{ path: "host", value: check.host }],
});
