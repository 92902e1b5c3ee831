import type { StartTls } from "@sonde/proto/http/monitors/checks/tls";
import type { KumaRow } from "@sonde/proto/http/import";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { expiryNote, readMinDays } from "./http.ts";
import type { KumaContext, ReadCheck } from "./read-check.ts";
import { number, text } from "./rows.ts";

/** Uptime Kuma recognises the protocol by what the server sends first; the port names it beforehand. */
const protocolsByPort: Readonly<Record<number, StartTls>> = { 110: "pop3", 143: "imap", 5432: "postgres" };

/** A TCP port; one with TLS (`smtp_security`, `expected_tls_alert`) is a check of TLS. */
export function readPort(row: KumaRow, around: KumaContext): ReadCheck {
  const host = text(row, "hostname");
  const port = number(row, "port") ?? 0;
  const security = text(row, "smtp_security");
  const alert = ["", "none"].includes(text(row, "expected_tls_alert")) ? "" : text(row, "expected_tls_alert");
  if (security !== "secure" && security !== "starttls" && alert === "") return { check: { type: "tcp", host, port } };

  const notes: TranslatableText[] = [{ text: "It becomes a TLS check" }, { text: "Its certificate must be valid" }];
  const starttls = security === "starttls" ? (protocolsByPort[port] ?? "smtp") : undefined;
  if (starttls !== undefined) notes.push({ text: "STARTTLS by {protocol}", params: { protocol: starttls } });
  if (alert !== "") {
    notes.push({ text: "Without its expected TLS alert {alert}", params: { alert: alert.slice(0, 40) } });
  }
  const minDaysLeft = readMinDays(row, around);
  if (minDaysLeft !== undefined) notes.push(expiryNote(minDaysLeft));
  // Without a limit of days only a certificate that has expired is DOWN.
  return { check: { type: "tls", host, port, starttls, minDaysLeft: minDaysLeft ?? 0 }, notes };
}
