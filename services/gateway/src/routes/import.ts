import { importAnswer, importInput, importQuery, maxImportBytes } from "@sonde/proto/http/import";
import type { Language } from "@sonde/proto/http/messages";
import { translateText } from "@sonde/proto/http/reasons/import-reasons";
import { carryOut } from "../import/carry-out.ts";
import { decide } from "../import/decide.ts";
import { askServices } from "../import/known.ts";
import type { DecidedImport } from "../import/shapes.ts";
import { limitTexts } from "../middleware/limits.ts";
import { bytesRoute } from "../route.ts";

const limits = { maxBytes: maxImportBytes, deadlineMs: 60_000 };

export const importRoutes = [
  bytesRoute({
    method: "POST",
    path: "/api/import",
    who: "write",
    summary: "Import monitors and notification channels from Uptime Kuma, or an export of Sonde",
    description: `Whole or not at all: \`will\` comes, \`cannot\` stays out, each with the reason. A monitor whose name and target are there already stays out, a channel whose name and type are is used. The body may have 8 MiB. ${limitTexts.import}`,
    query: importQuery,
    body: importInput,
    limits,
    within: ({ imports }, { userId }, request) => imports.within("import", userId, request),
    answer: importAnswer,
    handle: async (input) => {
      const { importReader, config, body, query, ctx } = input;
      const leastSeconds = config.minIntervalMinutes * 60;
      const prepared = await importReader.read({ bytes: body, leastSeconds });
      const decided = decide(prepared, await askServices(input, prepared));
      const dryRun = query.dryRun === "true";
      if (!dryRun) await carryOut(input, prepared, decided);
      return { message: dryRun ? undefined : "Imported", dryRun, ...present(decided, ctx.state.language) };
    },
  }),
];

function present({ will, cannot }: DecidedImport, language: Language) {
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
