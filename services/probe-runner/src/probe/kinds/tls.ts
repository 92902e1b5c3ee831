import type { Addresses } from "@sonde/kit/egress/name-servers";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { canonicalHost, hostAndPort } from "@sonde/proto/http/monitors/checks/fields";
import type { StartTls } from "@sonde/proto/http/monitors/checks/tls";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { PeerCertificate } from "node:tls";
import type { Sighting } from "../evidence.ts";
import { type Link, openLink, routeTo, wireLimits } from "../link.ts";
import { outcomeOf } from "../outcome.ts";
import { type AnyTarget, type ProbeFailure, type Probe, type ProbeContext, type ProbeOutcome } from "../probe.ts";
import { type DialOptions, dialPlain, trustError, openTls } from "../tls/dial.ts";
import type { CertificateEnd } from "../tls/chain.ts";
import { endsSoon, issuerOf } from "../tls/errors.ts";
import { requestTls } from "../tls/starttls.ts";

export interface TlsTarget extends AnyTarget<"tls"> {
  name: string;
  port: number;
  servername: string;
  minDaysLeft: number;
  starttls: StartTls | undefined;
}

export const probe: Probe<"tls", TlsTarget> = { compile: compileTls, run: probeTls };

function compileTls({ host, port, servername = host, minDaysLeft, starttls }: CheckOf<"tls">): TlsTarget {
  const name = canonicalHost(host) ?? host;
  const certificateName = canonicalHost(servername) ?? servername;
  return { kind: "tls", host: hostAndPort(name, port), name, port, servername: certificateName, minDaysLeft, starttls };
}

/** Performs a handshake and judges the certificate. An untrusted one still reports its issuer and expiry. */
async function probeTls(target: TlsTarget, ctx: ProbeContext): Promise<ProbeOutcome> {
  const startedMs = ctx.clock.elapsedMs();
  const timings = { dns: 0, connect: 0, tls: 0, total: 0 };
  let shown: { certificateExpiresAtMs: number; certificateIssuer: string } | undefined;
  const seen: Sighting = {};
  const onCertificate = (certificate: PeerCertificate) => {
    seen.certificate = certificate;
    shown = { certificateExpiresAtMs: Date.parse(certificate.valid_to), certificateIssuer: issuerOf(certificate) };
  };
  let first: CertificateEnd | undefined;
  const signs = { onCertificate, onChain: (found: CertificateEnd) => void (first = found) };
  const route = await routeTo(target.name, ctx, timings);
  if ("addresses" in route) {
    seen.addresses = route.addresses;
    seen.host = target.name;
  }
  const failure = "addresses" in route ? await shakeHands(target, route.addresses, ctx, timings, signs) : route;
  timings.total = ctx.clock.elapsedMs() - startedMs;
  const ending = endsSoon(shown?.certificateExpiresAtMs, target.minDaysLeft, ctx.clock, first);
  return outcomeOf(failure ?? ending, { timings, ...shown }, seen, () => ({}));
}

function shakeHands(
  { name, port, servername, starttls }: TlsTarget,
  addresses: Addresses,
  ctx: ProbeContext,
  timings: Timings,
  signs: Pick<DialOptions, "onCertificate" | "onChain">,
): Promise<ProbeFailure | undefined> {
  const open = () => dialPlain(name, port, addresses, ctx.timeoutMs);
  const shake = ({ socket, settle, fail, adopt }: Link<undefined>) => {
    const judge = (untrusted?: Error) => (untrusted === undefined ? settle(undefined) : fail(untrusted));
    const begin = () => {
      // The chain is judged after the handshake, so that the certificate is available.
      const options = { verifyTls: false, ...signs };
      // Only the certificate matters. In TLS 1.3 a client learns only after the handshake that the server requires one.
      const secured = openTls(servername, options, { socket }, judge);
      adopt(secured);
      secured.once("secureConnect", () => {
        judge(secured.authorized ? undefined : trustError(secured, servername));
        // Close gracefully: servers log connections that break off.
        secured.destroySoon();
      });
    };
    const onAgreed = (failure?: ProbeFailure) => {
      if (failure === undefined) return begin();
      settle(failure);
      socket.destroy();
    };
    socket.once("connect", () => (starttls === undefined ? begin() : requestTls(starttls, socket, onAgreed)));
  };
  return openLink({ addresses, port }, ctx, timings, "tls", open, shake, wireLimits);
}
