import type { PeerCertificate } from "node:tls";
import { clipText } from "@sonde/kit/clip";
import type { Clock } from "@sonde/kit/time/clock";
import type { Fault } from "./outcome.ts";

const dayMs = 86_400_000;
const maxIssuerBytes = 200;

/** Who issued a certificate: its common name and its organisation. */
export function issuerOf({ issuer }: PeerCertificate): string {
  const names = [issuer.CN, issuer.O ?? issuer.OU].flat().filter((part) => part !== undefined);
  return clipText(names.join(", "), maxIssuerBytes);
}

/** Why a certificate ends too soon, by whole days; undefined if it does not, or if no number of days is configured. */
export function endsSoon(
  expiresAtMs: number | undefined,
  minDaysLeft: number | undefined,
  clock: Pick<Clock, "now">,
): Fault | undefined {
  if (expiresAtMs === undefined || minDaysLeft === undefined) return undefined;
  const days = Math.floor((expiresAtMs - clock.now()) / dayMs);
  if (days >= minDaysLeft) return undefined;
  if (days < 0) return { kind: "tls", message: "The certificate has expired" };
  return {
    kind: "tls",
    message: `The certificate ends in ${days} ${days === 1 ? "day" : "days"}, less than ${minDaysLeft}`,
  };
}
