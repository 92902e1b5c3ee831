import { record } from "@sonde/domain/audit";
import { AppError, type FieldFault } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { Confirm } from "@sonde/proto/http/monitors/monitors";
import type { Locations } from "../locations/locations.ts";

type ConfirmContext = {
  db: Database;
  locations: Pick<Locations, "settled" | "liveLocations">;
  opinions: { look(): Promise<void> };
};

const name = "confirm";

export async function findConfirm(db: Database): Promise<Confirm | null> {
  const row = await db("defaults").where({ name }).first<{ value: Confirm } | undefined>();
  return row?.value ?? null;
}

export const getConfirm = async ({ db }: Pick<ConfirmContext, "db">): Promise<{ confirm: Confirm | null }> => ({
  confirm: await findConfirm(db),
});

/** @throws AppError impossible if a location has no runner */
export async function setConfirm(
  ctx: ConfirmContext,
  { confirm }: { confirm: Confirm | null },
): Promise<{ confirm: Confirm | null }> {
  await ctx.locations.settled();
  await ctx.db.transaction(async (trx) => {
    const before = await findConfirm(trx);
    refuseOpinions(ctx.locations.liveLocations(), { confirm, locations: [] }, { confirm: before, locations: [] });
    if (confirm === null) await trx("defaults").where({ name }).delete();
    else
      await trx("defaults")
        .insert({ name, value: JSON.stringify(confirm) })
        .onConflict("name")
        .merge();
    await record(trx, "monitors", {
      action: "update",
      target: { type: "settings", id: "confirm", name: "Second opinion" },
      before: { confirm: before ?? undefined },
      after: { confirm: confirm ?? undefined },
    });
  });
  await ctx.opinions.look();
  return { confirm };
}

/** Removes locations that check the monitor themselves; `null` if none remains. */
export function withoutOwnLocations(confirm: Confirm | null, own: readonly string[]): Confirm | null {
  if (confirm === null) return null;
  const locations = confirm.locations.filter((location) => !own.includes(location));
  return locations.length === 0 ? null : { locations, need: Math.min(confirm.need, locations.length) };
}

type Places = { confirm?: Confirm | null | undefined; locations: readonly string[] };

/** @throws AppError impossible if a location already checks the monitor, or has no runner and was not set before */
export function refuseOpinions(
  liveLocations: readonly string[],
  { confirm, locations }: Places,
  before: Places | null,
): void {
  const known = before?.confirm?.locations ?? [];
  for (const [index, location] of (confirm?.locations ?? []).entries()) {
    const message = locations.includes(location)
      ? "{location} already checks this monitor: choose other locations for a second opinion"
      : !known.includes(location) && !liveLocations.includes(location)
        ? "There is no location named {location}"
        : undefined;
    if (message === undefined) continue;
    const fault: FieldFault = { path: `confirm.locations.${index}`, message, params: { location } };
    throw new AppError("impossible", message, { params: { location }, details: [fault] });
  }
}
