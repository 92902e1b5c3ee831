import pg from "pg";
import { randomPassword } from "../bus/nats-users.ts";

/**
 * One role may hold this share of the server's connections, so that no service takes all. With PostgreSQL's usual 100
 * that is room for the pools of two replicas.
 */
const shareOfConnections = 0.28;
/** Databases that PostgreSQL itself makes. */
const builtIn = ["postgres", "template0", "template1"];

/** The role that owns a schema: `sonde_auth` owns `auth`. */
export const databaseRole = (schema: string): string => `sonde_${schema}`;

/** What the administrator may do; a managed server grants no superuser. */
type Rights = { superuser: boolean; database: string; ownsDatabase: boolean; version: number };

/**
 * Gives each schema a role of its own that may log in, and owns all objects in it, also those that an earlier version
 * made as the administrator. A role has no right on other schemas, on `public`, or to make any. Unnamed roles and
 * schemas are unchanged.
 *
 * @param adminUrl of the database; its user is a superuser, or has CREATEROLE and may create in the database
 * @param passwords by schema; a missing one is generated
 * @returns the URL of each schema's role
 */
export async function openRoles(
  adminUrl: string,
  schemas: readonly string[],
  passwords: Readonly<Record<string, string>> = {},
): Promise<Map<string, string>> {
  return asAdministrator(adminUrl, async (client) => {
    const rights = await rightsOf(client);
    await closeToOthers(client, rights);
    const urls = new Map<string, string>();
    for (const schema of schemas) {
      const password = passwords[schema] ?? randomPassword();
      await openRole(client, rights, schema, password);
      const url = new URL(adminUrl);
      url.username = databaseRole(schema);
      url.password = password;
      urls.set(schema, url.href);
    }
    return urls;
  });
}

/**
 * Makes a role that may read everything in these schemas, also what their owners make later, and change nothing: for backups.
 *
 * @param adminUrl as of `openRoles`, which has made the schemas
 */
export async function openReader(
  adminUrl: string,
  name: string,
  password: string,
  schemas: readonly string[],
): Promise<void> {
  await asAdministrator(adminUrl, async (client) => {
    const { superuser, database, ownsDatabase } = await rightsOf(client);
    const role = client.escapeIdentifier(name);
    const known = await client.query("select from pg_roles where rolname = $1", [name]);
    if (known.rowCount === 0) await client.query(`create role ${role}`);
    const nothingElse = superuser ? "nosuperuser nocreatedb nocreaterole noreplication nobypassrls" : "";
    await client.query(
      `alter role ${role} with login noinherit ${nothingElse} connection limit 3 password ${client.escapeLiteral(password)}`,
    );
    if (ownsDatabase) await client.query(`grant connect on database ${client.escapeIdentifier(database)} to ${role}`);
    for (const schema of schemas) {
      const [space, owner] = [client.escapeIdentifier(schema), client.escapeIdentifier(databaseRole(schema))];
      // As the owner: a role that is no superuser grants nothing of what it only may become.
      await client.query(`set local role ${owner}`);
      await client.query(`grant usage on schema ${space} to ${role}`);
      for (const kind of ["tables", "sequences"]) {
        await client.query(`grant select on all ${kind} in schema ${space} to ${role}`);
        await client.query(`alter default privileges in schema ${space} grant select on ${kind} to ${role}`);
      }
      await client.query("reset role");
    }
  });
}

/** Runs changes of roles in one transaction, one caller at a time: two at once would make the same role. */
async function asAdministrator<Result>(adminUrl: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: "sonde-setup" });
  client.on("error", () => {}); // The pending query rejects by itself.
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock(hashtextextended('sonde roles', 0))");
    const result = await run(client);
    await client.query("commit");
    return result;
  } finally {
    await client.end();
  }
}

async function rightsOf(client: pg.Client): Promise<Rights> {
  const { rows } = await client.query<Rights>(
    `select r.rolsuper as superuser, d.datname as database, pg_has_role(d.datdba, 'usage') as "ownsDatabase",
       current_setting('server_version_num')::int as version
     from pg_roles r, pg_database d
     where r.rolname = current_user and d.datname = current_database()`,
  );
  const [found] = rows;
  if (found === undefined) throw new Error("the server names neither our role nor our database");
  return found;
}

/**
 * By default every role may connect to each database and use its schema `public`. If the server has a database that is
 * neither ours nor PostgreSQL's own, the others are left as they are: their owners may rely on that.
 */
async function closeToOthers(client: pg.Client, { superuser, database, ownsDatabase }: Rights): Promise<void> {
  if (!ownsDatabase) return;
  const { rows } = await client.query<{ name: string }>("select datname as name from pg_database where datallowconn");
  const names = rows.map(({ name }) => name);
  const isOursAlone = superuser && names.every((name) => name === database || builtIn.includes(name));
  for (const name of isOursAlone ? names : [database]) {
    await client.query(`revoke all on database ${client.escapeIdentifier(name)} from public`);
  }
  const { rows: owned } = await client.query(
    "select from pg_namespace where nspname = 'public' and pg_has_role(nspowner, 'usage')",
  );
  if (owned.length > 0) await client.query("revoke all on schema public from public");
}

async function openRole(client: pg.Client, rights: Rights, schema: string, password: string): Promise<void> {
  const { superuser, database, ownsDatabase } = rights;
  const name = databaseRole(schema);
  const [role, space] = [client.escapeIdentifier(name), client.escapeIdentifier(schema)];
  const known = await client.query("select from pg_roles where rolname = $1", [name]);
  if (known.rowCount === 0) await client.query(`create role ${role}`);
  // A new role has none of these; only a superuser may even name them.
  const nothingElse = superuser ? "nosuperuser nocreatedb nocreaterole noreplication nobypassrls" : "";
  const { rows } = await client.query<{ limit: number }>(
    "select floor(current_setting('max_connections')::int * $1::float8)::int as limit",
    [shareOfConnections],
  );
  await client.query(
    `alter role ${role} with login noinherit ${nothingElse}
     connection limit ${rows[0]?.limit ?? -1} password ${client.escapeLiteral(password)}`,
  );
  if (!superuser) await joinRole(client, rights, name);
  if (ownsDatabase) await client.query(`grant connect on database ${client.escapeIdentifier(database)} to ${role}`);
  const { rowCount: exists } = await client.query("select from pg_namespace where nspname = $1", [schema]);
  // Even `if not exists` needs the right to make schemas.
  if (exists === 0) await client.query(`create schema ${space}`);
  const { rowCount: foreign } = await client.query(
    "select from pg_namespace where nspname = $1 and nspowner <> $2::regrole",
    [schema, role],
  );
  if (foreign !== 0) await client.query(`alter schema ${space} owner to ${role}`);
  await handOver(client, schema, role);
}

/**
 * A role that is no superuser can transfer ownership only to roles that it may become. PostgreSQL 16 split that right
 * in two.
 */
async function joinRole(client: pg.Client, { version }: Rights, name: string): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select pg_has_role(current_user, $1, $2) and pg_has_role(current_user, $1, 'usage') as may`,
    [name, version >= 160_000 ? "set" : "member"],
  );
  if (rows[0]?.may) return;
  const options = version >= 160_000 ? "with inherit true, set true" : "";
  await client.query(`grant ${client.escapeIdentifier(name)} to current_user ${options}`);
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
