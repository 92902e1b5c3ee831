import pg from "pg";

/** How PostgreSQL's own count of what it writes is read. */
export interface PostgresWrites {
  /** Writes what waits in its buffers, and answers the bytes that it handed to the kernel so far. */
  checkpoint(): Promise<number>;
  close(): Promise<void>;
}

/** Statistics reach the shared memory within a second of a statement's end. */
const settleMs = 1500;

/**
 * PostgreSQL writes 8 KiB pages over old ones, and with large folios (ext4 from Linux 6.16 on) the kernel counts each as
 * up to 2 MiB in `write_bytes`. So it is asked itself, but for the making of WAL files, which are used again for ever.
 */
export async function watchWrites(databaseUrl: string): Promise<PostgresWrites> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // Tables that were just made and filled would be vacuumed and analyzed within the next minute, which no check causes.
  // Statistics first: what they leave behind is vacuumed, too.
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
