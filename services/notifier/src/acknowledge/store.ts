import type { Database } from "@sonde/kit/postgres/database";

export async function channelName(db: Database, id: number): Promise<string | undefined> {
  return (await db("channels").where({ id }).first<{ name: string } | undefined>("name"))?.name;
}
