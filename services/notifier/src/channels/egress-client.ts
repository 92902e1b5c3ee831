import type { Addresses } from "@sonde/kit/egress/name-servers";
import { type Egress as Rules, findRoute, hostOf, isHttp, portOf } from "@sonde/kit/egress/url";
import { type Clock, systemClock } from "@sonde/kit/time/clock";
import { openSocket } from "./dial.ts";
import { type ChannelEgress, EgressFault, type HttpAnswer, type HttpRequest } from "./egress.ts";
import { exchange } from "./exchange.ts";

/** From the first question to a name server to the last byte of the answer. */
const requestMs = 15_000;

/**
 * Outgoing requests to providers: each resolves the host, checks every address with the guard, and dials one of these
 * on a connection of its own. No proxy, no redirect, no reuse.
 */
export function createEgress(rules: Rules, clock: Clock = systemClock): ChannelEgress {
  return {
    async request(request) {
      const deadlineMs = clock.elapsedMs() + requestMs;
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(requestMs)]);
      return send(rules, { ...request, signal }, () => clock.elapsedMs() > deadlineMs);
    },
    async addressOf(host) {
      const [address] = await routeTo(rules, host, AbortSignal.timeout(requestMs));
      return address;
    },
  };
}

/** @param isLate whether the deadline passed, even if a timer could not fire: the process may have been suspended */
async function send(rules: Rules, request: HttpRequest, isLate: () => boolean): Promise<HttpAnswer> {
  const { signal } = request;
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
  if (url === undefined || !isHttp(url)) throw new EgressFault("connect", "The address is no http or https address");
  const host = hostOf(url);
  const addresses = await routeTo(rules, host, signal);
  const socket = await openSocket({ host, port: portOf(url), secure: url.protocol === "https:", addresses }, signal);
  if (isLate()) {
    socket.destroy();
    throw new EgressFault("timeout", `${host} could not be reached in time`);
  }
  return exchange(socket, url, request);
}

/** The addresses of a host that may be dialled. @throws EgressFault */
async function routeTo(rules: Rules, host: string, signal: AbortSignal): Promise<Addresses> {
  const route = await Promise.race([findRoute(host, rules), aborted(signal)]);
  if (route === "aborted") throw new EgressFault("dns", `${host} was not resolved in time`);
  if (!("failure" in route)) return route.addresses;
  throw new EgressFault(route.failure === "blocked" ? "blocked" : "dns", route.message);
}

function aborted(signal: AbortSignal): Promise<"aborted"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}
