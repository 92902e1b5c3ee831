import * as z from "zod";
import { host, port } from "../../monitors/checks/fields.ts";
import { channel, requiredText, mailRecipients, mailSender } from "./channel.ts";

/** Email through your own server. */
export const smtp = channel({
  type: "smtp",
  fields: {
    host,
    port: port.default(587),
    /** `tls` from the first byte (port 465), `starttls` before login, `none` on a trusted network. */
    security: z.enum(["starttls", "tls", "none"]).default("starttls"),
    username: requiredText().optional(),
    password: requiredText().optional(),
    from: mailSender(),
    // Every server accepts this many (RFC 5321 §4.5.3.1.8).
    to: mailRecipients(100),
  },
  form: [
    { name: "host", input: "text", placeholder: "smtp.example.com" },
    { name: "port", input: "number" },
    { name: "security", input: "choice" },
    { name: "username", input: "text" },
    { name: "password", input: "secret" },
    { name: "from", input: "text", placeholder: "Sonde <alerts@example.com>" },
    { name: "to", input: "text", placeholder: "ops@example.com" },
  ],
  hosts: (config) => [{ path: "host", value: config.host }],
  // A password entered for an encrypted connection must not be sent unencrypted.
  audience: ({ host, port, security }) => `${security === "none" ? "clear" : "encrypted"} ${host}:${port}`,
});
