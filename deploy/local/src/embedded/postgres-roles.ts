import pg from "pg";
import { newPassword } from "@sonde/kit/embedded/nats-users";

/** The most connections that one role may hold, so that no service takes all of the server's 100. */
const connectionLimit = 28;

/** The role that owns a schema: `sonde_auth` owns `auth`. */
export const roleOf = (schema: string): string => `sonde_${schema}`;

/**
 * Gives each schema a role of its own that may log in, with a new password each time, and owns what is in there, also
 * what an earlier version made as the superuser. A role has no right on other schemas, on `public`, or to make any.
 *
 * @param adminUrl of the database, as its superuser
 * @returns the URL of each schema's role
 */
export async function openRoles(adminUrl: string, schemas: readonly string[]): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: "sonde-setup" });
  client.on("error", () => {}); // What it was asked rejects by itself.
  await client.connect();
  try {
    await client.query("begin");
    await closeToOthers(client);
    const urls = new Map<string, string>();
    for (const schema of schemas) {
      const password = newPassword();
      await openRole(client, schema, password);
      const url = new URL(adminUrl);
      url.username = roleOf(schema);
      url.password = password;
      urls.set(schema, url.href);
    }
    await client.query("commit");
    return urls;
  } finally {
    await client.end();
  }
}

/** By default everybody may connect to each database and use its schema `public`. */
async function closeToOthers(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ datname: string }>("select datname from pg_database where datallowconn");
  for (const { datname } of rows) {
    await client.query(`revoke all on database ${client.escapeIdentifier(datname)} from public`);
  }
  await client.query("revoke all on schema public from public");
}

async function openRole(client: pg.Client, schema: string, password: string): Promise<void> {
  const name = roleOf(schema);
  const [role, space] = [client.escapeIdentifier(name), client.escapeIdentifier(schema)];
  const known = await client.query("select from pg_roles where rolname = $1", [name]);
  if (known.rowCount === 0) await client.query(`create role ${role}`);
  await client.query(
    `alter role ${role} with login nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls
     connection limit ${connectionLimit} password ${client.escapeLiteral(password)}`,
  );
  const { rows } = await client.query<{ database: string }>("select current_database() as database");
  for (const { database } of rows) {
    await client.query(`grant connect on database ${client.escapeIdentifier(database)} to ${role}`);
  }
  await client.query(`create schema if not exists ${space}`);
  await client.query(`alter schema ${space} owner to ${role}`);
  await handOver(client, schema, role);
}

/** Indexes, and sequences that belong to a column, follow their table. */
async function handOver(client: pg.Client, schema: string, role: string): Promise<void> {
  const { rows } = await client.query<{ relation: string }>(
    `select c.oid::regclass::text as relation
     from pg_class c
     where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')
       and c.relowner <> $2::regrole
       and not exists (
         select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and d.refobjsubid > 0
       )`,
    [client.escapeIdentifier(schema), role],
  );
  for (const { relation } of rows) await client.query(`alter table ${relation} owner to ${role}`);
}
