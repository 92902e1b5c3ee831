import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { clipText } from "@sonde/kit/clip";
import type { Timings } from "@sonde/proto/http/checks";
import { canonicalHost, hostAndPort } from "@sonde/proto/http/checks/fields";
import type { StartTls } from "@sonde/proto/http/checks/tls";
import type { CheckOf } from "@sonde/proto/http/kinds";
import { endsSoon } from "../certificate.ts";
import { dialPlain, leaveChainUnread, trustedRoots } from "../dial.ts";
import { certificateFault } from "../faults.ts";
import { openLink } from "../link.ts";
import { type Fault, type Outcome, outcomeOf, type ProbeContext } from "../outcome.ts";
import type { AnyTarget, Probe } from "../probe.ts";
import { routeTo } from "../route.ts";
import { askForTls } from "../starttls.ts";

export interface TlsTarget extends AnyTarget<"tls"> {
  name: string;
  port: number;
  /** Whom the certificate must name. */
  servername: string;
  minDaysLeft: number;
  starttls: StartTls | undefined;
}

/** A certificate that a server showed, trusted or not. */
interface Shown {
  certificateExpiresAtMs: number;
  certificateIssuer: string;
  /** Why the chain or the name is not trusted. */
  untrusted: Fault | undefined;
}

const maxIssuerBytes = 200;

export const probe: Probe<"tls", TlsTarget> = { compile: compileTls, run: probeTls };

function compileTls({ host, port, servername = host, minDaysLeft, starttls }: CheckOf<"tls">): TlsTarget {
  const name = canonicalHost(host) ?? host;
  const asked = canonicalHost(servername) ?? servername;
  return { kind: "tls", host: hostAndPort(name, port), name, port, servername: asked, minDaysLeft, starttls };
}

/** Shakes hands and judges the certificate; one that is not trusted still tells its issuer and its end. Never rejects. */
async function probeTls(target: TlsTarget, ctx: ProbeContext): Promise<Outcome> {
  const startedMs = ctx.clock.elapsedMs();
  const timings = { dns: 0, connect: 0, tls: 0, total: 0 };
  const route = await routeTo(target.name, ctx, timings);
  const found = "addresses" in route ? await shakeHands(target, route.addresses, ctx, timings) : route;
  timings.total = ctx.clock.elapsedMs() - startedMs;
  if (!("certificateIssuer" in found)) return outcomeOf(found, { timings });
  const { untrusted, ...certificate } = found;
  const fault = untrusted ?? endsSoon(certificate.certificateExpiresAtMs, target.minDaysLeft, ctx.clock);
  return outcomeOf(fault, { timings, ...certificate });
}

function shakeHands(
  { name, port, servername, starttls }: TlsTarget,
  addresses: readonly string[],
  ctx: ProbeContext,
  timings: Timings,
): Promise<Shown | Fault> {
  const open = () => dialPlain(name, port, addresses);
  return openLink<Shown>({ addresses, port }, ctx, timings, "tls", open, ({ socket, settle, adopt }) => {
    const begin = () => {
      const secured = connectTls({
        socket,
        // For a literal address there is no name to ask for; the certificate is held against the address.
        host: servername,
        servername: isIP(servername) === 0 ? servername : "",
        secureContext: trustedRoots(),
        // What is wrong with a certificate is judged once it was read.
        rejectUnauthorized: false,
      });
      leaveChainUnread(secured);
      adopt(secured);
      secured.once("secureConnect", () => {
        settle(certificateOf(secured));
        // In good order: servers log a connection that breaks off.
        secured.destroySoon();
      });
    };
    const onAgreed = (fault?: Fault) => {
      if (fault === undefined) return begin();
      settle(fault);
      socket.destroy();
    };
    socket.once("connect", () => (starttls === undefined ? begin() : askForTls(starttls, socket, onAgreed)));
  });
}

function certificateOf(socket: TLSSocket): Shown | Fault {
  const { valid_to: end, issuer } = socket.getPeerCertificate();
  const certificateExpiresAtMs = Date.parse(end);
  if (Number.isNaN(certificateExpiresAtMs)) return { kind: "tls", message: "The server sent no certificate" };
  // Node's types say that it is an Error; it is the code of one.
  const untrusted = socket.authorized ? undefined : certificateFault(String(socket.authorizationError));
  const names = [issuer.CN, issuer.O ?? issuer.OU].flat().filter((part) => part !== undefined);
  return { certificateExpiresAtMs, certificateIssuer: clipText(names.join(", "), maxIssuerBytes), untrusted };
}
