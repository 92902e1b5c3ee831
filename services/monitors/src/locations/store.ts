import type { Database } from "@sonde/kit/postgres/database";

/** How many active monitors name each location. */
export async function countByLocation(db: Database): Promise<Map<string, number>> {
  const { rows } = await db.raw<{ rows: { name: string; monitors: number }[] }>(
    `select location as name, count(*)::int as monitors from monitors, unnest(locations) as location
     where deleted_at_ms is null and active_since_ms is not null group by location`,
  );
  return new Map(rows.map(({ name, monitors }) => [name, monitors]));
}
