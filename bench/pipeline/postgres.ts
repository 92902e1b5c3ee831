import pg from "pg";

/** PostgreSQL's own count of its writes. */
export interface PostgresWrites {
  /** Writes all dirty buffers, and returns the total bytes handed to the kernel. */
  checkpoint(): Promise<number>;
  close(): Promise<void>;
}

/** PostgreSQL publishes statistics within a second after a statement. */
const settleMs = 1500;

/**
 * PostgreSQL overwrites 8 KiB pages. With large folios (ext4 since Linux 6.16) the kernel counts up to 2 MiB for each
 * in `write_bytes`, so the benchmark uses PostgreSQL's own count, without the creation of WAL files, which are reused.
 */
export async function watchWrites(databaseUrl: string): Promise<PostgresWrites> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // New tables would be vacuumed and analyzed within the next minute, which is not a cost of checks. Analyze first: its
  // dead rows are vacuumed too.
  await client.query("analyze");
  await client.query("vacuum");
  return {
    async checkpoint() {
      await client.query("checkpoint");
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      const { rows } = await client.query<{ bytes: string }>(
        "select sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) as bytes from pg_stat_io where context <> 'init'",
      );
      return Number(rows[0]?.bytes);
    },
    close: () => client.end(),
  };
}
