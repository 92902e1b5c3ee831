import { clipText } from "@sonde/kit/clip";
import { AppError, type FieldFault, invalid } from "@sonde/kit/errors";
import { unzipLines } from "@sonde/domain/managed/lines";
import type { ConfigPlan } from "@sonde/proto/http/config/apply";
import type { ManagedKind } from "@sonde/proto/http/config/managed";
import { type Language, type Message, translate } from "@sonde/proto/http/messages";
import type { ConfigOutcome } from "@sonde/proto/rpc/apply";
import { allOf } from "../middleware/batches.ts";
import { timeouts } from "../services.ts";
import { refuseCycles } from "./cycles.ts";
import type { CallContext, NamedIds } from "./call-context.ts";
import type { PreparedDocument } from "./read.ts";

type Part = "monitors" | "notifications" | "page";
/** `writes` counts the rows that each service would write. */
export type PlannedDocument = { outcomes: ConfigOutcome[]; ids: NamedIds; writes: Record<Part, number> };

/** Changes nothing. @throws AppError impossible for a dependency cycle among monitors */
export async function planDocument(
  context: CallContext,
  document: PreparedDocument,
  source: string | null,
): Promise<PlannedDocument> {
  const { policies: wanted } = document.names;
  const [agents, users, outside, existing] = await Promise.all([
    readAgents(context, document.names.agents),
    readUsers(context, document.names.users),
    readOutside(context, document.outside),
    wanted.length === 0
      ? { ids: {} as Record<string, number> }
      : context.services.notifications.idsOfRefs({ kind: "policy", refs: wanted }, context.ask),
  ]);
  // Negative for those that the document would create.
  const policies = Object.fromEntries(wanted.map((key, at) => [key, existing.ids[key] ?? -1 - at]));
  const ids: NamedIds = { monitors: { ...outside.monitor }, agents, users, channels: {}, policies, outside };
  const monitors = await sendPart(context, "monitors", { document, source, generation: null, ids });
  let coming = 0;
  for (const { key, id, outcome } of monitors.outcomes) {
    if (source !== null || outcome !== "fault") ids.monitors[key] = id ?? -(coming += 1);
  }
  const notifications = await sendPart(context, "notifications", { document, source, generation: null, ids });
  for (const { kind, key, id, outcome } of notifications.outcomes) {
    if (kind === "channel") ids.channels[key] = id ?? -(coming += 1);
    if (kind === "policy" && outcome === "fault" && key in ids.policies) ids.policies[key] = 0;
  }
  await refuseCycles(context, document.dependsOn, ids);
  const page = await sendPart(context, "page", { document, source, generation: null, ids });
  return {
    outcomes: [...monitors.outcomes, ...notifications.outcomes, ...page.outcomes],
    ids,
    writes: { monitors: monitors.writes, notifications: notifications.writes, page: page.writes },
  };
}

type Sent = {
  document: PreparedDocument;
  source: string | null;
  generation: number | null;
  ids: NamedIds;
  reserved?: Record<string, number>;
};

export async function sendPart(
  { services, ask }: CallContext,
  part: Part,
  { document, ids, reserved = {}, ...rest }: Sent,
) {
  const { notify, page, channels } = document.names;
  // Without a source, existing objects keep their settings.
  const coming = rest.generation === null ? onlyNew(ids.monitors) : reserved;
  const notified = rest.source === null ? coming : ids.monitors;
  const request = {
    ...rest,
    lines: document[part],
    ids: {
      // The monitors service resolves existing monitors itself.
      monitors:
        part === "monitors"
          ? { ...ids.outside.monitor, ...reserved }
          : part === "page"
            ? pick(ids.monitors, page)
            : pick(notified, notify),
      agents: ids.agents,
      channels: part === "page" ? pick(ids.channels, channels) : ids.outside.channel,
      templates: ids.outside.template,
      schedules: ids.outside.schedule,
      policies: part === "monitors" ? { ...ids.outside.policy, ...ids.policies } : ids.outside.policy,
      users: part === "notifications" ? ids.users : {},
    },
  };
  const options = { ...ask, timeoutMs: timeouts.importMs };
  const { lines, writes } =
    part === "monitors"
      ? await services.monitors.applyMonitors(request, options)
      : part === "notifications"
        ? await services.notifications.applyNotifications(request, options)
        : await services.statusPage.applyPage(request, options);
  const outcomes = (await unzipLines(lines)).map((text) => JSON.parse(text) as ConfigOutcome);
  return { outcomes, writes };
}

const onlyNew = (ids: Record<string, number>) => Object.fromEntries(Object.entries(ids).filter(([, id]) => id < 0));
const pick = (ids: Record<string, number>, keys: readonly string[]) =>
  Object.fromEntries(keys.flatMap((key) => (ids[key] === undefined ? [] : [[key, ids[key]]])));

async function readOutside(
  { services, ask }: CallContext,
  wanted: PreparedDocument["outside"],
): Promise<NamedIds["outside"]> {
  const read = async (kind: keyof typeof wanted, of: "monitors" | "notifications") =>
    wanted[kind].length === 0 ? {} : (await services[of].idsOfRefs({ kind, refs: wanted[kind] }, ask)).ids;
  const [monitor, channel, template, schedule, policy] = await Promise.all([
    read("monitor", "monitors"),
    read("channel", "notifications"),
    read("template", "notifications"),
    read("schedule", "notifications"),
    read("policy", "notifications"),
  ]);
  return { monitor, channel, template, schedule, policy };
}

/** The oldest, if several agents share a name. */
async function readAgents({ services, ask }: CallContext, names: readonly string[]): Promise<Record<string, number>> {
  if (names.length === 0) return {};
  const wanted = new Set(names);
  const found = new Map<string, number>();
  const list = (query: { page?: number; pageSize: number; ids?: number[] }) => services.agents.listAgents(query, ask);
  for await (const agents of (await allOf(list, (page) => page.agents)).batches) {
    for (const { id, name } of agents) {
      if (wanted.has(name)) found.set(name, Math.min(id, found.get(name) ?? id));
    }
  }
  return Object.fromEntries(found);
}

/** Ids by username or mail address. */
export async function readUsers(
  { services, ask }: CallContext,
  names: readonly string[],
): Promise<Record<string, number>> {
  if (names.length === 0) return {};
  const { people } = await services.auth.people({ names: [...names] }, ask);
  const keyOf = (name = "") => name.normalize("NFKC").toLowerCase();
  const ids = new Map(
    people.flatMap(({ id, username, email }) => [[keyOf(email), id] as const, [keyOf(username), id] as const]),
  );
  return Object.fromEntries(names.flatMap((name) => (ids.has(keyOf(name)) ? [[name, ids.get(keyOf(name))!]] : [])));
}

const places: Record<ManagedKind, (key: string) => string> = {
  monitor: (key) => `monitors.${key}`,
  notify: (key) => `monitors.${key}.notify`,
  channel: (key) => `channels.${key}`,
  template: (key) => `templates.${key}`,
  schedule: (key) => `schedules.${key}`,
  policy: (key) => `policies.${key}`,
  drill: (key) => `drills.${key}`,
  slo: (key) => `slos.${key}`,
  report: (key) => `reports.${key}`,
  settings: (key) => `settings.${key}`,
  maintenance: (key) => `maintenance.${key}`,
  page: () => "page",
};
export const objectPath = ({ kind, key }: Pick<ConfigOutcome, "kind" | "key">) => places[kind](key);
const below = (path: string, field: string) => (field === "" ? path : `${path}.${field}`);

/** @throws AppError impossible if all problems are of that kind, otherwise invalid */
export function refuseInvalid(outcomes: readonly ConfigOutcome[]): void {
  const invalidOutcomes = outcomes.filter(({ outcome }) => outcome === "fault");
  if (invalidOutcomes.length === 0) return;
  const details = invalidOutcomes.flatMap((one) => problemDetails(one)).slice(0, 50);
  if (invalidOutcomes.some(({ isImpossible }) => isImpossible !== true)) throw invalid(details);
  throw new AppError("impossible", "The request is not valid", { details });
}

const problemDetails = (one: ConfigOutcome): FieldFault[] =>
  (one.faults ?? []).map(({ path, message, params }) => ({
    path: below(objectPath(one), path),
    message: message as Message,
    params: params ?? {},
  }));

/** @throws AppError conflict, naming both sources */
export function refuseConflicts(outcomes: readonly ConfigOutcome[]): void {
  const details = outcomes.filter(({ outcome }) => outcome === "conflict").flatMap((one) => problemDetails(one));
  if (details.length > 0)
    throw new AppError("conflict", "The document conflicts with the current configuration", { details });
}

/** @throws AppError impossible */
export function refuseRemovals(outcomes: readonly ConfigOutcome[], max: number): void {
  const removed = outcomes.filter(({ outcome }) => outcome === "remove");
  if (removed.length <= max) return;
  const params = { count: removed.length, max };
  const message = "This would remove {count} objects from this source; the limit is {max}";
  const details = removed.slice(0, 50).map((one): FieldFault => ({ path: objectPath(one), message, params }));
  throw new AppError("impossible", message, { params, details });
}

export function presentPlan(outcomes: readonly ConfigOutcome[], language: Language): ConfigPlan {
  const pathsOf = (wanted: ConfigOutcome["outcome"]) =>
    outcomes.filter(({ outcome }) => outcome === wanted).map(objectPath);
  const fresh = new Set(pathsOf("create").map((path) => `${path}.notify`));
  const listed = outcomes.filter((one) => one.kind !== "notify" || !fresh.has(objectPath(one)));
  return {
    create: pathsOf("create"),
    update: listed
      .filter(({ outcome }) => outcome === "update")
      .flatMap((one) =>
        (one.changes ?? []).map(({ path, from, to }) => ({
          path: below(objectPath(one), path),
          from: clipped(from),
          to: clipped(to),
        })),
      ),
    remove: pathsOf("remove"),
    same: listed.filter(({ kind, outcome }) => outcome === "same" && kind !== "notify").map(objectPath),
    conflicts: outcomes
      .filter(({ outcome }) => outcome === "conflict")
      .map((one) => ({
        path: objectPath(one),
        message: problemDetails(one)
          .map(({ message, params }) => translate(message, language, params))
          .join(" "),
        place: one.place,
        with: one.with,
      })),
  };
}

const maxShownBytes = 300;
function clipped(value: unknown): unknown {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return Buffer.byteLength(text) <= maxShownBytes ? value : clipText(text, maxShownBytes);
}
