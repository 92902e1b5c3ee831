import { type AppliedKind, applyManagedPart, readPart } from "@sonde/domain/managed/apply";
import type { Database } from "@sonde/kit/postgres/database";
import { idsOfKeys } from "@sonde/domain/managed/table";
import type { ManagedKind } from "@sonde/proto/http/config/managed";
import type { ApplyPart, idsOfRefs as contract } from "@sonde/proto/rpc/apply";
import type { z } from "zod";
import { deciding } from "../alerts/deciding.ts";
import type { Context } from "../context.ts";
import type { ReportContext } from "../reports/context.ts";
import { accountsAmong } from "../reports/recipients.ts";
import { channelsOf } from "./channels.ts";
import { drillsOf } from "./drills.ts";
import { policiesOf } from "./policies.ts";
import { recipientsIn, reportsOf } from "./reports.ts";
import { schedulesOf } from "./schedules.ts";
import { notifyOf, settingsOf } from "./settings.ts";
import { templatesOf } from "./templates.ts";

/** Plans or applies the channels, templates, schedules, policies, drills, settings and reports of a document. Later kinds refer to earlier ones. */
export async function applyNotifications(ctx: Context, part: ApplyPart, signal: AbortSignal, reporting: ReportContext) {
  const transact = <Result>(run: (trx: Database) => Promise<Result>) =>
    part.generation === null ? ctx.db.transaction(run) : deciding(ctx.db, run);
  const isImport = part.source === null;
  const within = { ...ctx, due: () => {}, committed: () => {} };
  const accounts = await accountsAmong(reporting, recipientsIn(await readPart(part)));
  const applied = await applyManagedPart(transact, { part, signal }, (ids) =>
    [
      channelsOf(within),
      templatesOf(within),
      schedulesOf(within, { ids, isImport }),
      policiesOf(within, { ids, isImport }),
      drillsOf(within, ids),
      settingsOf(within, ids),
      notifyOf(within, ids),
      reportsOf({ ...reporting, ...within }, ids, accounts),
    ].map((kind) => kind as AppliedKind<unknown, unknown>),
  );
  ctx.committed();
  ctx.due();
  return applied;
}

const byName = "name:";
const tables: Partial<Record<ManagedKind, string>> = {
  template: "templates",
  schedule: "schedules",
  policy: "policies",
};

/** Returns the ids of objects outside the document; of several with one name, the oldest. */
export async function resolveRefs(
  { db }: Pick<Context, "db">,
  { kind, refs: requested }: z.output<typeof contract.input>,
): Promise<z.input<typeof contract.answer>> {
  const names = requested.filter((ref) => ref.startsWith(byName)).map((ref) => ref.slice(byName.length));
  const table = tables[kind] ?? "channels";
  const [ids, rows] = await Promise.all([
    idsOfKeys(db, kind, requested),
    db(table)
      .whereRaw(`name = any(?::text[])${table === "channels" ? " and user_id is null" : ""}`, [names])
      .orderBy("id", "desc")
      .select<{ id: number; name: string }[]>("id", "name"),
  ]);
  return { ids: { ...Object.fromEntries(rows.map(({ id, name }) => [byName + name, id])), ...ids } };
}
