import { toAppError } from "@sonde/kit/errors";
import { applyAnswer } from "@sonde/proto/http/config/apply";
import { sourceName } from "@sonde/proto/http/config/document";
import { rowId } from "@sonde/proto/http/envelope";
import {
  acknowledgeInput,
  incidentAnswer,
  incidentId,
  incidentsAnswer,
  incidentsQuery,
  incidentStoryAnswer,
} from "@sonde/proto/http/incidents/incidents";
import { translate } from "@sonde/proto/http/messages";
import { historyAnswer, historyQuery } from "@sonde/proto/http/monitors/checks";
import { monitorCountsAnswer, monitorsQuery } from "@sonde/proto/http/monitors/lists";
import { checkNowAnswer, monitorAnswer, monitorsAnswer } from "@sonde/proto/http/monitors/monitors";
import * as z from "zod";
import type { Session } from "../context.ts";
import type { Ids, RawRequest, Route } from "../route.ts";
import { isOpenTo, permit, runFor } from "../router.ts";
import { applyRoutes } from "../routes/apply.ts";
import { checkRoutes } from "../routes/monitors/checks.ts";
import { incidentRoutes } from "../routes/incidents.ts";
import { monitorRoutes } from "../routes/monitors/monitors.ts";
import { validate } from "../validate.ts";
import { type Say, sayIn } from "./words.ts";
import { describeIncident, describeMonitor, describePlan, describeStory, describeSummary } from "./sentences.ts";

export type McpRequest = Omit<RawRequest, "body"> & { session: Session };

const pageSize = 20;

/** Calls a route as its own HTTP request would, with a text query. */
type AskRoute = <A extends z.ZodType>(
  row: RouteName,
  answer: A,
  given?: { params?: Ids; query?: Record<string, unknown>; body?: unknown },
) => Promise<z.output<A>>;

type Called<Args> = { args: Args; ask: AskRoute; say: Say; base: string };
type Tool = {
  title: string;
  description: string;
  /** Sessions that may not use all of these routes do not see the tool. */
  asks: readonly RouteName[];
  input: z.ZodObject;
  run(called: Called<never>): Promise<string[]>;
};

const rows = [...monitorRoutes, ...checkRoutes, ...incidentRoutes, ...applyRoutes];
const routeOf = (row: RouteName): Route => rows.find(({ method, path }) => row === `${method} ${path}`)!;
type RouteName =
  | "GET /api/monitors"
  | "GET /api/monitors/counts"
  | "GET /api/monitors/:id"
  | "GET /api/monitors/:id/history"
  | "GET /api/monitors/:id/incidents"
  | "POST /api/monitors/:id/check"
  | "GET /api/incidents"
  | "GET /api/incidents/:id"
  | "POST /api/incidents/:id/acknowledge"
  | "POST /api/apply";

const tool = <Input extends z.ZodObject>(
  definition: Omit<Tool, "input" | "run"> & { input: Input; run(called: Called<z.output<Input>>): Promise<string[]> },
): Tool => definition as unknown as Tool;

const page = incidentsQuery.shape.page;
const monitor = rowId.meta({ description: "Id of the monitor, from find_monitors." });
const incident = incidentId.meta({ description: "Id of the incident, from list_problems.", examples: ["m12"] });

const tools: Readonly<Record<string, Tool>> = {
  list_problems: tool({
    title: "List open problems",
    description: "Lists open incidents of monitors and agents, and counts monitors by state.",
    asks: ["GET /api/incidents", "GET /api/monitors/counts"],
    input: z.strictObject({ page }),
    run: async ({ args, ask, say, base }) => {
      const [{ incidents, total, unavailable }, { counts }] = await Promise.all([
        ask("GET /api/incidents", incidentsAnswer, { query: { open: "true", page: args.page, pageSize } }),
        ask("GET /api/monitors/counts", monitorCountsAnswer),
      ]);
      return [
        total === 0 ? say("No open incidents.") : say("Open incidents: {total}.", { total }),
        say("Monitors: {up} up, {down} down, {stale} without data, {pending} pending, {paused} paused.", counts),
        ...away(say, unavailable),
        ...incidents.map((one) => describeIncident(one, say, base)),
        ...more(say, args.page, total),
      ];
    },
  }),
  find_monitors: tool({
    title: "Find monitors",
    description: "Finds monitors by name, address, tag, kind or state, and returns their ids.",
    asks: ["GET /api/monitors"],
    input: z.strictObject({
      search: monitorsQuery.shape.search,
      status: monitorsQuery.shape.status,
      tag: monitorsQuery.shape.tag,
      type: monitorsQuery.shape.type,
      page,
    }),
    run: async ({ args, ask, say, base }) => {
      const query = { ...args, pageSize, compact: "true" };
      const { monitors, total } = await ask("GET /api/monitors", monitorsAnswer, { query });
      return [
        total === 0 ? say("No matching monitors.") : say("Matching monitors: {total}.", { total }),
        ...monitors.map((one) => describeMonitor(one, say, base)),
        ...more(say, args.page, total),
      ];
    },
  }),
  monitor_history: tool({
    title: "Show a monitor's history",
    description: "Returns a monitor's current state, uptime, response times and newest incidents.",
    asks: ["GET /api/monitors/:id", "GET /api/monitors/:id/history", "GET /api/monitors/:id/incidents"],
    input: z.strictObject({ monitor, range: historyQuery.shape.range }),
    run: async ({ args: { monitor: id, range }, ask, say, base }) => {
      const [{ monitor: known }, { summary, previous }, { incidents, total }] = await Promise.all([
        ask("GET /api/monitors/:id", monitorAnswer, { params: { id } }),
        ask("GET /api/monitors/:id/history", historyAnswer, { params: { id }, query: { range } }),
        ask("GET /api/monitors/:id/incidents", incidentsAnswer, { params: { id }, query: { pageSize: 5 } }),
      ]);
      return [
        describeMonitor(known, say, base),
        ...[summary, previous].flatMap((period) => (period === null ? [] : describeSummary(period, say))),
        total === 0 ? say("No incidents so far.") : say("Incidents so far: {total}. The newest:", { total }),
        ...incidents.map((one) => describeIncident(one, say, base)),
      ];
    },
  }),
  explain_notifications: tool({
    title: "Explain why I was or was not notified",
    description: "Explains why each channel was or was not notified of an incident, and lists its timeline.",
    asks: ["GET /api/incidents/:id"],
    input: z.strictObject({ incident }),
    run: async ({ args: { incident: id }, ask, say, base }) => {
      const story = await ask("GET /api/incidents/:id", incidentStoryAnswer, { params: { id } });
      return [...describeStory(story, say, base), ...away(say, story.unavailable)];
    },
  }),
  acknowledge_incident: tool({
    title: "Acknowledge an incident",
    description: "Acknowledges an incident, which stops its reminders.",
    asks: ["POST /api/incidents/:id/acknowledge"],
    input: z.strictObject({ incident, note: acknowledgeInput.shape.note }),
    run: async ({ args: { incident: id, note }, ask, say, base }) => {
      const changed = await ask("POST /api/incidents/:id/acknowledge", incidentAnswer, {
        params: { id },
        body: { note },
      });
      return [describeIncident(changed.incident, say, base)];
    },
  }),
  check_monitor: tool({
    title: "Check a monitor now",
    description: "Checks a monitor now, including retries, and returns the result.",
    asks: ["POST /api/monitors/:id/check"],
    input: z.strictObject({ monitor }),
    run: async ({ args: { monitor: id }, ask, say, base }) => {
      const { result, monitor: known } = await ask("POST /api/monitors/:id/check", checkNowAnswer, { params: { id } });
      const { location, responseTime, error } = result;
      const params = { ms: Math.round(responseTime), location, reason: error?.message ?? "" };
      return [
        result.status === "up"
          ? say("The check succeeded after {ms} ms at {location}.", params)
          : say("The check failed after {ms} ms at {location}: {reason}", params),
        describeMonitor(known, say, base),
      ];
    },
  }),
  plan_config: tool({
    title: "Plan a configuration",
    description:
      "Plans a configuration document: returns what it would create, change and remove, without changing anything.",
    asks: ["POST /api/apply"],
    input: z.strictObject({
      source: sourceName.meta({
        description:
          "Name of the source. Objects that it applied earlier and that are missing from this document would be removed.",
      }),
      config: z.record(z.string(), z.unknown()).meta({
        description:
          "The document, with monitors, channels and other objects by key, as described by /api/config.schema.json.",
      }),
    }),
    run: async ({ args, ask, say }) => {
      const body = new TextEncoder().encode(JSON.stringify(args));
      const { plan } = await ask("POST /api/apply", applyAnswer, { query: { dryRun: "true" }, body });
      return describePlan(plan, say, pageSize);
    },
  }),
};

const away = (say: Say, parts: readonly string[] = []) =>
  parts.length === 0 ? [] : [say("Not available at the moment: {parts}.", { parts: parts.join(", ") })];
const more = (say: Say, at: number, total: number) =>
  at * pageSize < total ? [say("More on page {page}.", { page: at + 1 })] : [];

export function listTools(session: Session) {
  return Object.entries(tools)
    .filter(([, { asks }]) => asks.every((row) => isOpenTo(routeOf(row), session)))
    .map(([name, { title, description, asks, input }]) => {
      const readOnlyHint = asks.every((row) => row.startsWith("GET"));
      const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
      const annotations = { readOnlyHint, ...(readOnlyHint ? {} : { destructiveHint: false }), openWorldHint: false };
      return { name, title, description, inputSchema, annotations };
    });
}

/**
 * A rejection is part of the result, so that the model can correct its call; `null` if there is no such tool.
 * @throws AppError `forbidden` if one of its routes needs another scope or role; `internal`
 */
export async function callTool(name: string, given: unknown, input: McpRequest) {
  const found = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (found === undefined) return null;
  const { session, ctx, config } = input;
  for (const row of found.asks) permit(routeOf(row), session);
  const { language } = ctx.state;
  const ask: AskRoute = async (row, _answer, { params = {}, query = {}, body } = {}) =>
    (await runFor(routeOf(row), session, { ...input, params, query, body })) as never;
  try {
    const args = validate(found.input, given) as never;
    const lines = await found.run({
      args,
      ask,
      say: sayIn(language),
      base: config.publicUrl ?? `${ctx.protocol}://${ctx.host}`,
    });
    return textResult(lines);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "internal" || error.code === "forbidden") throw error;
    const faults = error.details.map(({ path, message, params }) => `${path}: ${translate(message, language, params)}`);
    return { ...textResult([translate(error.key, language, error.params), ...faults]), isError: true };
  }
}

const textResult = (lines: readonly string[]) => ({ content: [{ type: "text", text: lines.join("\n") }] });
