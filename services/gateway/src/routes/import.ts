import { importAnswer, importInput, importQuery, maxImportBytes } from "@sonde/proto/http/import";
import type { Language } from "@sonde/proto/http/messages";
import { translateText } from "@sonde/proto/http/reasons/import-reasons";
import { impossible } from "@sonde/kit/errors";
import { scheduleImportAnswer, scheduleImportInput } from "@sonde/proto/http/on-call/import";
import { executePlan } from "../apply/execute-plan.ts";
import { planImport, type PlannedImport, readExisting } from "../import/import.ts";
import { limitTexts } from "../middleware/limits.ts";
import { importSchedules, planSchedules } from "../import/schedules.ts";
import { bytesRoute } from "../route.ts";

const limits = { maxBytes: maxImportBytes, deadlineMs: 60_000 };

export const importRoutes = [
  bytesRoute("POST /api/import", "write", {
    summary:
      "Import monitors and notification channels from Uptime Kuma, checks from healthchecks.io, or a Sonde export",
    description: `\`will\` lists what is imported and \`cannot\` what is not, with the reasons. Monitors that already exist with the same name and target are skipped; existing channels with the same name and type are reused. Bodies are at most 8 MiB. ${limitTexts.import}`,
    query: importQuery,
    body: importInput,
    limits,
    within: ({ imports }, { userId }, request) => imports.within("import", userId, request),
    answer: importAnswer,
    handle: async (input) => {
      const { documentReader, config, body, query, ctx, session } = input;
      const minSeconds = config.minIntervalMinutes * 60;
      const known = await readExisting(input);
      const prepared = await documentReader.readImport({ bytes: body, minSeconds, known });
      const { document } = prepared;
      const { planned, ...shown } = await planImport(input, prepared);
      const dryRun = query.dryRun === "true";
      const isEmpty = Object.values(planned.writes).every((count) => count === 0);
      if (!dryRun && !isEmpty) await executePlan(input, { document, planned, source: null, by: session.username });
      return { message: dryRun ? undefined : "Imported", dryRun, ...present(shown, ctx.state.language) };
    },
  }),
  bytesRoute("POST /api/on-call/import", "write", {
    summary: "Import on-call schedules from Opsgenie, Grafana OnCall, PagerDuty or a calendar",
    description: `Schedules are matched by name, people by mail address or username. Bodies are at most 8 MiB. ${limitTexts.import}`,
    query: importQuery,
    body: scheduleImportInput,
    limits,
    within: ({ imports }, { userId }, request) => imports.within("import", userId, request),
    refusals: ["impossible"],
    answer: scheduleImportAnswer,
    handle: async (input) => {
      const { documentReader, body, query, ctx } = input;
      const { language } = ctx.state;
      const imported = await documentReader.readSchedules({ bytes: body });
      if (imported.length === 0)
        throw impossible([{ path: "data", message: "There is no schedule of this product in the data" }]);
      const { planned, plan, ...shown } = await planSchedules(input, imported, language);
      const dryRun = query.dryRun === "true";
      const refused = dryRun ? [] : await importSchedules(input, planned, language);
      const whole = { ...plan, conflicts: [...plan.conflicts, ...refused] };
      return { message: dryRun ? undefined : "Imported", dryRun, plan: whole, ...shown };
    },
  }),
];

function present({ will, cannot }: Omit<PlannedImport, "planned">, language: Language) {
  const named = (name: string) => (name === "" ? "–" : name);
  return {
    will: will.map(({ name, notes, ...coming }) => ({
      ...coming,
      name: named(typeof name === "string" ? name : translateText(name, language)),
      notes: notes.map((note) => translateText(note, language)),
    })),
    cannot: cannot.map(({ type, name, why }) => ({
      type,
      what: named(typeof name === "string" ? name : translateText(name, language)),
      why: translateText(why, language),
    })),
  };
}
