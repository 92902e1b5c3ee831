import type { Addresses } from "@sonde/kit/egress/name-servers";
import { findRoute, type EgressRoute } from "@sonde/kit/egress/url";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import { cancelled, type Fault, type ProbeContext } from "./outcome.ts";

/** The addresses of a host that may be dialled, or why there are none. Adds what it took to `timings.dns`; never rejects. */
export async function routeTo(
  host: string,
  ctx: ProbeContext,
  timings: Timings & { dns: number },
): Promise<{ addresses: Addresses } | Fault> {
  const startedMs = ctx.clock.elapsedMs();
  const pending = findRoute(host, ctx);
  const route = pending instanceof Promise ? await unlessAborted(pending, ctx.signal) : pending;
  timings.dns += ctx.clock.elapsedMs() - startedMs;
  if (route === "aborted") {
    if (ctx.signal.reason === cancelled) return { trouble: "cancelled" };
    if (!ctx.resolver.answeredSince(startedMs)) return { trouble: "the resolver is out of reach" };
    const silence = { of: "name", name: host } as const;
    return { kind: "timeout", message: "Timed out while resolving the name", silence };
  }
  return "failure" in route ? faultOfRoute(route, host) : route;
}

function faultOfRoute({ failure, message }: Extract<EgressRoute, { failure: string }>, name: string): Fault {
  if (failure === "unreachable") return { trouble: "the resolver is out of reach" };
  return failure === "blocked" ? { kind: "blocked", message } : { kind: "dns", message, silence: { of: "name", name } };
}

function unlessAborted<T>(pending: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> {
  return new Promise((resolve) => {
    const onAbort = () => resolve("aborted");
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void pending.then((value) => {
      signal.removeEventListener("abort", onAbort);
      resolve(value);
    });
  });
}
