import type { Alike, Written } from "@sonde/domain/managed/apply";
import type { Database } from "@sonde/kit/postgres/database";
import type { ConfigLine } from "@sonde/proto/rpc/apply";

const nameIn = ({ key, fields }: ConfigLine) => (fields["name"] as string | undefined) ?? key;

/** Without a name in the document, the existing name stays. */
export const nameOf = (line: ConfigLine, before: { name: string } | null, dropped: readonly string[]): string =>
  before !== null && !("name" in line.fields) && !dropped.includes("name") ? before.name : nameIn(line);

/** Finds objects by name and, if the table has it, by the column `type` or `kind`. */
export const alikeByName =
  (table: string, column?: "type" | "kind") =>
  async (trx: Database, lines: readonly ConfigLine[]): Promise<(line: ConfigLine) => Alike[]> => {
    const rows = await trx(table)
      .where(table === "channels" ? { userId: null } : {})
      .whereRaw("name = any(?::text[])", [lines.map(nameIn)])
      .orderBy("id")
      .select<{ id: number; name: string; type?: string; kind?: string }[]>("id", "name", ...(column ? [column] : []));
    return (line) =>
      rows
        .filter((row) => row.name === nameIn(line) && (!column || row[column] === line.fields[column]))
        .map(({ id, name }) => ({ id, name, hasName: true }));
  };

/** Returns the ids of created objects by key. */
export async function writeEach<Stored, Next>(
  written: readonly Written<Stored, Next>[],
  create: (next: Next) => Promise<number>,
  update: (id: number, next: Next) => Promise<unknown>,
): Promise<Map<string, number>> {
  const made = new Map<string, number>();
  for (const { line, id, before, next } of written) {
    if (before !== null) await update(id, next);
    else made.set(line.key, await create(next));
  }
  return made;
}
