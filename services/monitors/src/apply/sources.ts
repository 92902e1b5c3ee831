import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { maxConfigObjects } from "@sonde/proto/http/config/apply";
import type { monitorsContract } from "@sonde/proto/rpc/monitors";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { reserveIds } from "./store.ts";

type Methods = (typeof monitorsContract)["methods"];
type SourceRow = {
  name: string;
  generation: number;
  revision: string | null;
  appliedAtMs: number | null;
  appliedBy: string | null;
  outcome: string | null;
  problem: string | null;
};

/**
 * The new generation makes earlier applies of the source fail. Entries can refer to the reserved ids before they
 * exist.
 */
export async function beginApply(
  { db }: Pick<Context, "db">,
  { source, monitors }: z.output<Methods["beginApply"]["input"]>,
): Promise<{ generation: number; ids: number[] }> {
  if (monitors > maxConfigObjects) {
    throw new AppError("invalid", "A document can contain at most {max} objects", {
      params: { max: maxConfigObjects },
    });
  }
  return {
    generation: source === null ? 0 : await nextGeneration(db, source),
    ids: monitors === 0 ? [] : await reserveIds(db, monitors),
  };
}

async function nextGeneration(db: Database, name: string): Promise<number> {
  const [row] = await db("sources")
    .insert({ name, generation: 1 })
    .onConflict("name")
    .merge({ generation: db.raw("sources.generation + 1") })
    .returning<{ generation: number }[]>("generation");
  return row?.generation ?? 1;
}

/** Stores the outcome, unless a newer apply of the source has started. */
export async function endApply(
  { db, clock }: Pick<Context, "db" | "clock">,
  { source, generation, revision, outcome, by }: z.output<Methods["endApply"]["input"]>,
): Promise<Record<string, never>> {
  const values = { revision: revision ?? null, outcome, applied_by: by, applied_at_ms: clock.now() };
  await db("sources").where({ name: source, generation }).update(values);
  return {};
}

/**
 * Stores or clears the reason why a source was not applied. A source that was never applied is listed only with one.
 */
export async function noteSource(
  { db, clock }: Pick<Context, "db" | "clock">,
  { source: name, problem }: z.output<Methods["noteSource"]["input"]>,
): Promise<Record<string, never>> {
  const never = { generation: 0, outcome: "Not applied yet", applied_by: name, applied_at_ms: clock.now() };
  if (problem !== null)
    await db("sources")
      .insert({ name, ...never, problem })
      .onConflict("name")
      .merge(["problem"]);
  else if ((await db("sources").where({ name, generation: 0 }).delete()) === 0)
    await db("sources").where({ name }).whereNotNull("problem").update({ problem });
  return {};
}

const maxProblems = 10;
export const readProblems = async (db: Database): Promise<{ source: string; problem: string }[]> =>
  db("sources")
    .whereNotNull("problem")
    .orderBy("name")
    .limit(maxProblems)
    .select<{ source: string; problem: string }[]>({ source: "name" }, "problem");

export async function listSources({ db }: Pick<Context, "db">): Promise<z.input<Methods["listSources"]["answer"]>> {
  const rows = await db<SourceRow>("sources").orderBy("name").select<SourceRow[]>();
  return {
    sources: rows.map(({ name, generation, revision, appliedAtMs, appliedBy, outcome, problem }) => ({
      name,
      generation,
      revision: revision ?? undefined,
      appliedAt: new Date(appliedAtMs ?? 0).toISOString(),
      appliedBy: appliedBy ?? "",
      outcome: outcome ?? "",
      problem: problem ?? undefined,
    })),
  };
}
