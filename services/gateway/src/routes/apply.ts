import { AppError } from "@sonde/kit/errors";
import { messageAnswer } from "@sonde/proto/http/auth";
import {
  applyAnswer,
  applyInput,
  applyQuery,
  maxApplyBytes,
  releaseQuery,
  sourcesAnswer,
} from "@sonde/proto/http/config/apply";
import { configKey, configSchema, sourceName } from "@sonde/proto/http/config/document";
import { managedKinds, type ManagedKind } from "@sonde/proto/http/config/managed";
import * as z from "zod";
import { applyDocument } from "../apply/apply.ts";
import { executePlan } from "../apply/execute-plan.ts";
import { objectPath, planDocument } from "../apply/plan.ts";
import { prepareDocument } from "../apply/read.ts";
import { limitTexts } from "../middleware/limits.ts";
import { bytesRoute, command, rawRoute, route } from "../route.ts";
import { sendable, sendBytes } from "../site/bytes.ts";

const limits = { maxBytes: maxApplyBytes, deadlineMs: 60_000 };
const missing = "Source does not exist";
const decoded = (schema: z.ZodType<string, string>) =>
  z
    .string()
    .max(300)
    .transform((text) => (/^(?:[^%]|%[0-7][0-9a-f])*$/i.test(text) ? decodeURIComponent(text) : ""))
    .pipe(schema) as unknown as z.ZodType<string>;
const name = { missing, schema: decoded(sourceName) } as const;
const kind = { missing, schema: z.enum(managedKinds) } as const;
const key = { missing, schema: decoded(configKey) } as const;

export const applyRoutes = [
  bytesRoute("POST /api/apply", "write", {
    summary: "Apply or plan a configuration document",
    description: `Fields in a document are managed by its source and can no longer be changed elsewhere; all other fields stay editable. A field that the source no longer sets returns to its default. Objects that it no longer contains are removed, up to \`allowDelete\`. Keys identify objects permanently. Each service applies its part in one transaction; if one is unavailable, apply the same document again to complete it. Bodies are at most 8 MiB. ${limitTexts.apply}`,
    query: applyQuery,
    body: applyInput,
    limits,
    refusals: ["conflict", "impossible"],
    within: ({ applies }, { userId }, request) => applies.within("apply", userId, request),
    answer: applyAnswer,
    handle: async (input) => {
      const { documentReader, body, query, ctx, session } = input;
      const document = await documentReader.readApply({ bytes: body });
      const { language } = ctx.state;
      return applyDocument(input, document, { by: session.username, language, isDry: query.dryRun === "true" });
    },
  }),
  route("GET /api/sources", "session", {
    summary: "List configuration sources, the outcome of their last document, and what they manage",
    answer: sourcesAnswer,
    handle: async ({ services, ask }) => {
      const [{ sources }, ...counted] = await Promise.all([
        services.monitors.listSources({}, ask),
        services.monitors.countOwned({}, ask),
        services.notifications.countOwned({}, ask),
        services.statusPage.countOwned({}, ask),
      ]);
      const owned = counted.flatMap((part) => part.owned);
      const released = counted.flatMap((part) => part.released);
      // A monitor's settings are released with it.
      const monitors = new Set(released.flatMap(({ kind: of, key: one }) => (of === "monitor" ? [one] : [])));
      const drift = released.filter((one) => one.kind !== "notify" || !monitors.has(one.key));
      return {
        sources: sources.map((source) => ({
          ...source,
          drift: drift.filter((one) => one.source === source.name).map(objectPath),
          objects: Object.fromEntries(
            owned.flatMap((one) => (one.source === source.name ? [[one.kind, one.count]] : [])),
          ),
        })),
      };
    },
  }),
  route("DELETE /api/sources/:name", "admin", {
    summary: "Remove a source and the objects it manages, or with `keep=true` release them",
    params: { name },
    query: releaseQuery,
    answer: messageAnswer,
    handle: async ({ params, query: { keep }, session, ...input }) => {
      const source = params.name;
      const { sources } = await input.services.monitors.listSources({}, input.ask);
      if (!sources.some((one) => one.name === source)) throw new AppError("not_found", missing);
      if (keep !== "true") {
        const document = await prepareDocument({});
        const planned = await planDocument(input, document, source);
        const isEmpty = Object.values(planned.writes).every((count) => count === 0);
        if (!isEmpty) await executePlan(input, { document, planned, source, by: session.username });
      }
      // monitors last, since it lists the source: an interrupted removal can then be repeated.
      await input.services.notifications.release({ source }, input.ask);
      await input.services.statusPage.release({ source }, input.ask);
      await input.services.monitors.release({ source }, input.ask);
      return { message: keep === "true" ? "Source released" : "Source removed" };
    },
  }),
  command("DELETE /api/sources/:name/objects/:kind/:key", "write", {
    summary: "Release one object from its source",
    params: { name, kind, key },
    message: "Source released",
    handle: async ({ services, params, ask }) => {
      const owned = { source: params.name, kind: params.kind as ManagedKind, key: params.key };
      const released = await Promise.all(
        servicesOf(owned.kind).map(([service, of]) => services[service].release({ ...owned, kind: of }, ask)),
      );
      if (released.every((one) => one.released === 0)) throw new AppError("not_found", missing);
    },
  }),
  rawRoute("GET /api/config.schema.json", "anyone", {
    summary: "JSON Schema (2020-12) of configuration documents, for editors",
    media: "application/schema+json",
    handle: ({ ctx }) => {
      schema ??= sendable("application/schema+json; charset=utf-8", JSON.stringify(configSchema()));
      ctx.set("Cache-Control", "no-cache");
      return sendBytes(ctx, schema);
    },
  }),
];

let schema: ReturnType<typeof sendable> | undefined;

function servicesOf(kind: ManagedKind): ["monitors" | "notifications" | "statusPage", ManagedKind][] {
  if (kind === "monitor")
    return [
      ["monitors", kind],
      ["notifications", "notify"],
    ];
  return kind === "maintenance" || kind === "page" ? [["statusPage", kind]] : [["notifications", kind]];
}
