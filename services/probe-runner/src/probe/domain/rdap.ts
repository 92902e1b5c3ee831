import { type CheckOf, readCheck } from "@sonde/proto/http/monitors/kinds";
import type { Timings } from "@sonde/proto/http/monitors/checks";
import * as z from "zod";
import type { Sighting } from "../evidence.ts";
import type { TargetResponse } from "../http/exchange.ts";
import { fetchHttp, noTimings } from "../http/fetch.ts";
import { compileHttp } from "../http/target.ts";
import { type ProbeFailure, noRegistry, noServiceList, type ProbeContext } from "../probe.ts";

/** Base address of the RDAP service of each top-level domain, published by IANA (RFC 9224). */
type Services = ReadonlyMap<string, string>;

let listUrl = "https://data.iana.org/rdap/dns.json";
let cachedList: { services: Services; untilMs: number } | undefined;
const cacheMs = 86_400_000;
/** If the list cannot be refreshed, the previous one is used for this long before the next attempt. */
const retryMs = 3_600_000;

/** For tests: uses another list, and clears the cached one. */
export function useListForTests(url: string): void {
  listUrl = url;
  cachedList = undefined;
}

const listSchema = z.object({ services: z.array(z.tuple([z.array(z.string()), z.array(z.string())])) });
/** RFC 9083 §5.3. */
const domainSchema = z.object({
  objectClassName: z.literal("domain"),
  status: z.array(z.unknown()).optional(),
  events: z.array(z.object({ eventAction: z.unknown(), eventDate: z.unknown() })).optional(),
});

/** A domain with these no longer works, or soon will not (RFC 8056 §2). Also matches EPP's spelling (`clientHold`). */
const endedStatuses = ["redemption period", "pending delete", "client hold", "server hold"];
const compact = (status: unknown) => String(status).replaceAll(" ", "").toLowerCase();

/** Registry data of a domain. `ended`: the status because of which the domain does not work. */
export type Registration = { expiresAtMs: number | undefined; ended: string | undefined };

/** Finding the registry does not count as response time. An unusable response is trouble. Never rejects. */
export async function findRegistration(
  name: string,
  ctx: ProbeContext,
  timings: Required<Timings>,
  seen: Sighting,
): Promise<Registration | ProbeFailure> {
  const services = await listOfServices(ctx);
  if ("trouble" in services) return services;
  const endings = name.split(".").map((_label, at, labels) => labels.slice(at).join("."));
  const base = endings.map((ending) => services.get(ending)).find((found) => found !== undefined);
  if (base === undefined) {
    const message = `There is no RDAP service for .${endings.at(-1)}, so its domains' expiry dates are unknown`;
    return { kind: "protocol", message };
  }
  const startedMs = ctx.clock.elapsedMs();
  const answer = await get(`${base.replace(/\/$/, "")}/domain/${name}`, ctx, timings, seen);
  timings.total = ctx.clock.elapsedMs() - startedMs;
  if ("trouble" in answer) return answer;
  if (!("statusCode" in answer)) return { trouble: noRegistry };
  if (answer.statusCode === 404) return { kind: "assertion", message: "The domain is not registered" };
  const found = answer.statusCode === 200 ? readJson(domainSchema, answer.text) : undefined;
  if (found === undefined) return { trouble: noRegistry };
  const event = found.events?.find(({ eventAction }) => eventAction === "expiration");
  const expiresAtMs = Date.parse(String(event?.eventDate));
  const statuses = new Set(found.status?.map(compact));
  const ended = endedStatuses.find((status) => statuses.has(compact(status)));
  return { expiresAtMs: Number.isNaN(expiresAtMs) ? undefined : expiresAtMs, ended };
}

async function listOfServices(ctx: ProbeContext): Promise<Services | { trouble: string }> {
  const nowMs = ctx.clock.elapsedMs();
  if (cachedList !== undefined && nowMs < cachedList.untilMs) return cachedList.services;
  if (cachedList !== undefined) cachedList.untilMs = nowMs + retryMs;
  const answer = await get(listUrl, ctx, noTimings(), {});
  const list = "statusCode" in answer && answer.statusCode === 200 ? readJson(listSchema, answer.text) : undefined;
  if (list !== undefined) cachedList = { services: servicesIn(list), untilMs: nowMs + cacheMs };
  return cachedList?.services ?? ("trouble" in answer ? answer : { trouble: noServiceList });
}

function servicesIn({ services }: z.output<typeof listSchema>): Services {
  const entries = services.flatMap(([names, urls]) => {
    const base = urls.find((url) => url.startsWith("https://")) ?? urls.find((url) => url.startsWith("http://"));
    return base !== undefined && URL.canParse(base) ? names.map((name) => [name.toLowerCase(), base] as const) : [];
  });
  return new Map(entries);
}

const accept = { name: "Accept", value: "application/rdap+json, application/json" };

function get(
  url: string,
  ctx: ProbeContext,
  timings: Required<Timings>,
  seen: Sighting,
): Promise<TargetResponse | ProbeFailure> {
  const check = readCheck({ type: "http", url, headers: [accept] }) as CheckOf<"http">;
  const signs = { seen, onCertificate: () => undefined };
  return fetchHttp({ ...compileHttp(check), needsBody: true }, ctx, timings, signs);
}

function readJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
