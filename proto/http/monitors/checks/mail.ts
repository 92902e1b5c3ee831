import * as z from "zod";
import {
  host,
  hostAndPort,
  loginFaults,
  minDaysLeft,
  password,
  passwordOf,
  port,
  serverOf,
  checkUsername,
  verifyTls,
} from "./fields.ts";
import { kind } from "./kind.ts";

export const mailProtocols = ["smtp", "imap", "pop3"] as const;
export type MailProtocol = (typeof mailProtocols)[number];
export const mailSecurities = ["tls", "starttls", "none"] as const;
export type MailSecurity = (typeof mailSecurities)[number];

/** A mail server that sends its greeting and accepts the login, if one is configured. No mail is sent. */
export const mail = kind({
  type: "mail",
  fields: {
    protocol: z.enum(mailProtocols),
    host,
    port,
    security: z.enum(mailSecurities).default("tls").meta({ description: "TLS from the start, STARTTLS, or no TLS." }),
    username: checkUsername.optional(),
    password: password.optional(),
    verifyTls,
    minDaysLeft: minDaysLeft.optional(),
  },
  target: (check) => `${check.protocol}://${hostAndPort(check.host, check.port)}`,
  hosts: (check) => [{ path: "host", value: check.host }],
  faults: loginFaults,
  secrets: passwordOf,
  audience: serverOf,
});
