import type { Api } from "@sonde/testing/api";

type Parameter = { name: string; in: string; required?: boolean; schema?: { maximum?: number } };
type Document = {
  paths: Record<string, { get?: { parameters?: Parameter[]; responses: Record<string, { content?: object }> } }>;
};

/** Paths without data: streams, documents, and requests of link holders or programs. */
const noData =
  /\/(?:events|docs.*|openapi\.json|config\.schema\.json|metrics|acknowledge-link|ask|start|callback|downloads)$|^\/(?:ping|api\/push)\//;
/** Page size parameters; lists return at most fifty entries by default. */
const wide = ["pageSize", "limit"];
const ranges = { "1h": 1, "24h": 24, "30d": 30 * 24 };

/**
 * Reads everything that the API shows to an administrator: the response of each JSON GET of the OpenAPI document, by
 * path. Paths with an id are read for every entry of their list, histories up to `until`.
 */
export async function readEverything(api: Api, until: Date): Promise<Map<string, unknown>> {
  const { paths } = await api.get<Document>("/api/openapi.json");
  const operations = Object.entries(paths).filter(([path, { get }]) => {
    return get !== undefined && !noData.test(path) && "application/json" in (get.responses["200"]?.content ?? {});
  });
  const shown = new Map<string, unknown>();
  const ids = new Map<string, (string | number)[]>();
  // Shorter paths first, so each list is read before the paths of its entries.
  for (const [path, { get }] of operations.toSorted(([a], [b]) => a.length - b.length)) {
    const parameters = get?.parameters ?? [];
    const [, list, name] = /^(.*?)\/\{(\w+)\}/.exec(path) ?? [];
    const places =
      list === undefined ? [path] : (ids.get(list) ?? []).map((id) => path.replace(`{${name}}`, String(id)));
    for (const place of places) {
      for (const query of queriesOf(parameters, ids, until)) {
        const answer = await api.get<Record<string, unknown>>(`${place}${query}`);
        shown.set(`${place}${query}`, withoutPresent(path, answer));
        if (list === undefined) ids.set(path, idsIn(answer));
      }
    }
  }
  return shown;
}

function queriesOf(
  parameters: readonly Parameter[],
  ids: ReadonlyMap<string, (string | number)[]>,
  until: Date,
): string[] {
  const named = parameters.filter((one) => one.in === "query");
  if (named.some(({ name, required }) => name === "cron" && required)) return ["?cron=0+3+*+*+*"];
  const shared = named
    .filter(({ name }) => wide.includes(name))
    .map(({ name, schema }) => `${name}=${schema?.maximum ?? 50}`);
  if (named.some(({ name, required }) => name === "ids" && required))
    shared.push(`ids=${ids.get("/api/monitors")?.join()}`);
  if (named.some(({ name, required }) => name === "target" && required))
    shared.push(`target=monitor:${ids.get("/api/monitors")?.[0]}`);
  const has = (parameter: string) => named.some(({ name }) => name === parameter);
  // Only the audit log has `since`. Reading an export adds an entry to it, so later entries are left out.
  if (has("since")) shared.push(`until=${until.toISOString()}`);
  const spans = Object.entries(ranges).map(([range, hours]) => {
    const from = new Date(until.getTime() - hours * 3_600_000);
    return has("from")
      ? `from=${from.toISOString()}&${has("to") ? "to" : "until"}=${until.toISOString()}`
      : `range=${range}`;
  });
  const isBounded = has("range") || named.some(({ name, required }) => name === "from" && required);
  const all = isBounded ? spans.map((span) => [span, ...shared]) : [shared];
  return all.map((pairs) => (pairs.length === 0 ? "" : `?${pairs.join("&")}`));
}

function idsIn(answer: Record<string, unknown>): (string | number)[] {
  const list = Object.values(answer).find(Array.isArray) as { id?: number | string; slug?: string }[] | undefined;
  return (list ?? []).flatMap(({ slug, id }) => slug ?? id ?? []);
}

/** Fields that depend on the time of the request. */
const timeDependent = new Set(["from", "until", "exportedAt", "pausedMinutes", "p95"]);
const isEmpty = (value: unknown) => value === null || value === 0 || value === false;
/** A history step without data. Steps move with the clock. */
const isEmptyStep = (item: unknown) =>
  item === null ||
  (typeof item === "object" &&
    "start" in item &&
    Object.entries(item).every(([name, value]) => name === "start" || isEmpty(value)));

/** Removes what differs a minute later without any change. */
function withoutPresent(path: string, answer: unknown): unknown {
  if (Array.isArray(answer)) {
    return answer.filter((item) => !isEmptyStep(item)).map((item) => withoutPresent(path, item));
  }
  if (typeof answer !== "object" || answer === null) return answer;
  const left = Object.entries(answer).filter(
    ([name]) =>
      !timeDependent.has(name) &&
      // When the page was rendered or the report ended.
      !(path === "/api/status" && name === "updatedAt") &&
      !(path === "/api/notifications/noise" && name === "to"),
  );
  return Object.fromEntries(left.map(([name, value]) => [name, withoutPresent(path, value)]));
}
