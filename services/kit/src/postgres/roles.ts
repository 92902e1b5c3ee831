import pg from "pg";
import { randomPassword } from "../bus/nats-users.ts";

/** Maximum share of the server's connections per role: of PostgreSQL's 100 it covers the pools of two replicas. */
const shareOfConnections = 0.28;
const builtIn = ["postgres", "template0", "template1"];

export const databaseRole = (schema: string): string => `sonde_${schema}`;

type Rights = { superuser: boolean; database: string; ownsDatabase: boolean; version: number };

/**
 * Creates a login role per schema that owns it with all its objects, including those an earlier version created as
 * administrator. It has no rights elsewhere. Other roles and schemas are not changed.
 * @param adminUrl user must be a superuser, or have CREATEROLE and create rights in the database
 * @param passwords by schema; missing ones are generated
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

/** For backups; includes objects created later. Requires the schemas of `openRoles`. */
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
      // Without superuser, a role cannot grant rights of a role that it is only a member of.
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

/** Serialised, because concurrent callers could create the same role. */
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
  if (found === undefined) throw new Error("the server lists neither our role nor our database");
  return found;
}

/**
 * Revokes the default rights of all roles on databases and `public`. If the server has databases other than ours and
 * PostgreSQL's own, only ours is changed, because their owners may rely on the defaults.
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
  // New roles have none of these; only a superuser may set them.
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
  // Even `if not exists` needs the right to create schemas.
  if (exists === 0) await client.query(`create schema ${space}`);
  const { rowCount: foreign } = await client.query(
    "select from pg_namespace where nspname = $1 and nspowner <> $2::regrole",
    [schema, role],
  );
  if (foreign !== 0) await client.query(`alter schema ${space} owner to ${role}`);
  await handOver(client, schema, role);
}

/** Without superuser, ownership only transfers to roles one can become. PostgreSQL 16 split that right in two. */
async function joinRole(client: pg.Client, { version }: Rights, name: string): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select pg_has_role(current_user, $1, $2) and pg_has_role(current_user, $1, 'usage') as may`,
    [name, version >= 160_000 ? "set" : "member"],
  );
  if (rows[0]?.may) return;
  const options = version >= 160_000 ? "with inherit true, set true" : "";
  await client.query(`grant ${client.escapeIdentifier(name)} to current_user ${options}`);
}

/** Indexes, and sequences owned by a column, follow their table. */
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
