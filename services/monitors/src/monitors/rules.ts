import type { EgressGuard } from "@sonde/kit/egress/guard";
import { checkUrl } from "@sonde/kit/egress/url";
import { AppError, type FieldFault, invalid } from "@sonde/kit/errors";
import type { SecretBox } from "@sonde/kit/secrets";
import { defaultTimeoutSeconds } from "@sonde/proto/http/monitors";
import type { Locations } from "../locations/locations.ts";
import type { Patch } from "./fields.ts";
import type { Definition } from "./monitor.ts";
import { resolveHeaders, shownHeaders } from "./secret-headers.ts";

/** What the rules look at beside the input. */
export type RuleContext = {
  guard: EgressGuard;
  secrets: SecretBox;
  minIntervalMs: number;
  /** Where runners live: a monitor may name only these. */
  locations: Pick<Locations, "living">;
};

/** A definition goes to runners in one message of the bus (1 MiB). A body of 256 Ki characters fits in every script. */
const maxSizeBytes = 960 * 1024;

/**
 * The whole definition that an input leads to, held against the rules that look at more than one field.
 * `before` is what it changes: what already stands there is not refused again. `found` is what was found wrong with the
 * input already (`patternFaults`).
 * @throws AppError invalid with every fault's path; impossible for an unknown location; too_large
 */
export function applyInput(
  ctx: RuleContext,
  patch: Patch,
  before: Definition | null,
  found: readonly FieldFault[] = [],
): Definition {
  const { headers: given, paused: _paused, ...rest } = patch;
  const merged = { ...(before ?? blank), ...rest };
  const timeoutMs = patch.timeoutMs ?? fittingTimeoutMs(merged, before);
  const kept = given ?? shownHeaders(before?.headers ?? []);
  const { headers, faults } = resolveHeaders(ctx.secrets, kept, merged.url, before);
  const definition: Definition = { ...merged, headers, timeoutMs };
  const all = [...faultsOf(ctx, definition, before), ...found, ...faults];
  if (all.length > 0) throw invalid(all);
  const living = ctx.locations.living();
  if (definition.locations.length === 0) definition.locations = [defaultLocation(living)];
  refuseUnknownLocation(living, definition, before);
  if (sizeBytesOf(definition) > maxSizeBytes) {
    throw new AppError("too_large", "The body is too large (at most {limit})", { params: { limit: "960 KiB" } });
  }
  return definition;
}

function sizeBytesOf({ headers, body, assertions }: Definition): number {
  const texts = [
    body ?? "",
    ...headers.flatMap(({ name, value }) => [name, value]),
    ...assertions.flatMap(({ property, value }) => [property, value]),
  ];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

const blank: Definition = {
  name: "",
  url: "",
  method: "GET",
  intervalMs: 60_000,
  timeoutMs: 10_000,
  expectedStatus: "200",
  headers: [],
  body: null,
  followRedirects: true,
  verifyTls: true,
  retries: 1,
  assertions: [],
  tags: [],
  // None is named: where a runner lives decides.
  locations: [],
};

const defaultTimeoutMs = (intervalMs: number) => Math.round(defaultTimeoutSeconds(intervalMs / 60_000) * 1_000);

/** A timeout that nobody chose follows a shortened interval; one that a person chose stays until they change it. */
function fittingTimeoutMs({ intervalMs, timeoutMs }: Definition, before: Definition | null): number {
  if (before === null) return defaultTimeoutMs(intervalMs);
  const chosen = before.timeoutMs !== defaultTimeoutMs(before.intervalMs);
  return timeoutMs < intervalMs || chosen ? timeoutMs : defaultTimeoutMs(intervalMs);
}

function faultsOf(ctx: RuleContext, definition: Definition, before: Definition | null): FieldFault[] {
  const { name, url, intervalMs, timeoutMs } = definition;
  const faults: FieldFault[] = unstorable(definition);
  if (name === "") faults.push({ path: "name", message: "Name is required" });
  if (url !== before?.url) {
    const refusal = url === "" ? "empty" : checkUrl(url, ctx.guard)?.kind;
    if (refusal === "empty") faults.push({ path: "url", message: "URL is required" });
    if (refusal === "invalid") faults.push({ path: "url", message: "Please enter a full http or https address" });
    if (refusal === "blocked") faults.push({ path: "url", message: "This address may not be monitored" });
  }
  if (intervalMs !== before?.intervalMs && intervalMs < ctx.minIntervalMs) {
    const min = Math.round((ctx.minIntervalMs / 60_000) * 1_000) / 1_000;
    faults.push({ path: "interval", message: "The interval is at least {min} min", params: { min } });
  }
  if (timeoutMs >= intervalMs) {
    faults.push({ path: "timeout", message: "The timeout must be shorter than the interval" });
  }
  return faults;
}

/** PostgreSQL keeps neither the NUL character nor half a surrogate pair. */
function unstorable(definition: Definition): FieldFault[] {
  const texts: [path: string, text: string | null][] = [
    ["name", definition.name],
    ["url", definition.url],
    ["body", definition.body],
    ...definition.tags.map((tag, index): [string, string] => [`tags.${index}`, tag]),
    ...definition.assertions.flatMap(({ property, value }, index): [string, string][] => [
      [`assertions.${index}.property`, property],
      [`assertions.${index}.value`, value],
    ]),
  ];
  return texts
    .filter(([, text]) => text !== null && (text.includes("\0") || !text.isWellFormed()))
    .map(([path]) => ({ path, message: "This value is not valid" }));
}

/**
 * The location of a monitor that names none: `default` where a runner of it lives, else the only one that there is.
 * @throws AppError impossible where there is none, or a choice to make; it names what there is
 */
function defaultLocation(living: readonly string[]): string {
  if (living.includes("default")) return "default";
  const [only, ...others] = living;
  if (only !== undefined && others.length === 0) return only;
  const path = "locations";
  if (only === undefined) {
    const message = "No probe runner is running, so nothing would check this monitor";
    throw new AppError("impossible", message, { details: [{ path, message }] });
  }
  const message = "Choose a location: probe runners are at {locations}";
  const params = { locations: living.join(", ") };
  throw new AppError("impossible", message, { params, details: [{ path, message, params }] });
}

function refuseUnknownLocation(living: readonly string[], { locations }: Definition, before: Definition | null): void {
  const index = locations.findIndex((name) => !before?.locations.includes(name) && !living.includes(name));
  if (index < 0) return;
  const fault = {
    message: "There is no location named {location}",
    params: { location: locations[index] ?? "" },
  } as const;
  throw new AppError("impossible", fault.message, {
    params: fault.params,
    details: [{ path: `locations.${index}`, ...fault }],
  });
}
