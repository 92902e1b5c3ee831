import pg from "pg";

/**
 * Makes copies of the one monitor that there is, straight in the table: over the API a hundred thousand would take an
 * hour. Each has a target of its own. No service knows of them before `monitors` is started again.
 *
 * @param count how many there shall be in all
 */
export async function fillMonitors(databaseUrl: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("set search_path to monitors");
    const { rows } = await client.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_schema = 'monitors' and table_name = 'monitors'
         and column_name not in ('id', 'revision', 'name', 'target', 'config')`,
    );
    const same = rows.map(({ name }) => client.escapeIdentifier(name)).join(", ");
    await client.query(
      `insert into monitors (revision, name, target, config, ${same})
       select nextval('revisions'), 'Monitor ' || n, target || n,
         jsonb_set(config, '{url}', to_jsonb((config->>'url') || n)), ${same}
       from monitors, generate_series(2, $1::integer) as n`,
      [count],
    );
    await client.query(
      `insert into timeline_spans (monitor_id, from_ms, interval_ms, locations, active)
       select monitors.id, from_ms, timeline_spans.interval_ms, timeline_spans.locations, active
       from monitors, timeline_spans
       where monitors.id not in (select monitor_id from timeline_spans)`,
    );
    await client.query("analyze");
  } finally {
    await client.end();
  }
}

/** What the tables of monitors take, with their indexes. */
export async function rowBytes(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ bytes: string }>(
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class
       where relnamespace = 'monitors'::regnamespace and relname in ('monitors', 'timeline_spans', 'figures')`,
    );
    return Number(rows[0]?.bytes);
  } finally {
    await client.end();
  }
}
