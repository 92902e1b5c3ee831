import { DatabaseSync } from "node:sqlite";

/** Tables that an import reads, as created by Uptime Kuma 1.23 in SQLite: column after column, by its patches. */
const tables123 = `
  create table user (id integer primary key autoincrement, username varchar(255) not null, password varchar(255));
  CREATE TABLE "monitor" (
    id INTEGER not null primary key autoincrement,
    name VARCHAR(150),
    active BOOLEAN default 1 not null,
    user_id INTEGER references user on update cascade on delete set null,
    interval INTEGER default 20 not null,
    url TEXT,
    type VARCHAR(20),
    weight INTEGER default 2000,
    hostname VARCHAR(255),
    port INTEGER,
    created_date DATETIME default (DATETIME('now')) not null,
    keyword VARCHAR(255),
    maxretries INTEGER NOT NULL DEFAULT 0,
    ignore_tls BOOLEAN default 0 not null,
    upside_down BOOLEAN default 0 not null,
    maxredirects INTEGER default 10 not null,
    accepted_statuscodes_json TEXT default '["200-299"]' not null,
    dns_resolve_type VARCHAR(5),
    dns_resolve_server VARCHAR(255)
  );
  CREATE TABLE proxy (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, user_id INT NOT NULL, protocol VARCHAR(10) NOT NULL,
    host VARCHAR(255) NOT NULL, port SMALLINT NOT NULL, auth BOOLEAN NOT NULL, username VARCHAR(255) NULL,
    password VARCHAR(255) NULL, active BOOLEAN NOT NULL DEFAULT 1, [default] BOOLEAN NOT NULL DEFAULT 0,
    created_date DATETIME DEFAULT (DATETIME('now')) NOT NULL);
  CREATE TABLE tag (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255) NOT NULL, color VARCHAR(255) NOT NULL,
    created_date DATETIME DEFAULT (DATETIME('now')) NOT NULL);
  CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, tag_id INTEGER NOT NULL, value TEXT,
    CONSTRAINT FK_tag FOREIGN KEY (tag_id) REFERENCES tag(id) ON DELETE CASCADE ON UPDATE CASCADE);
  create table notification (id INTEGER not null primary key autoincrement, name VARCHAR(255), config VARCHAR(255),
    active BOOLEAN default 1 not null, user_id INTEGER not null, is_default BOOLEAN default 0 NOT NULL);
  create table monitor_notification (id INTEGER primary key autoincrement not null, monitor_id INTEGER not null, notification_id INTEGER not null);
  create table setting (id INTEGER PRIMARY KEY AUTOINCREMENT, [key] VARCHAR(200) not null unique, value TEXT, type VARCHAR(20));
  create table maintenance (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title VARCHAR(150) NOT NULL, description TEXT NOT NULL,
    user_id INTEGER, active BOOLEAN NOT NULL DEFAULT 1, strategy VARCHAR(50) NOT NULL DEFAULT 'single', start_date DATETIME, end_date DATETIME);
  create table status_page (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, slug VARCHAR(255) NOT NULL UNIQUE, title VARCHAR(255) NOT NULL,
    description TEXT, icon VARCHAR(255) NOT NULL, theme VARCHAR(30) NOT NULL, published BOOLEAN NOT NULL DEFAULT 1);
  create table heartbeat (id INTEGER primary key autoincrement, important BOOLEAN default 0 not null, monitor_id INTEGER not null,
    status SMALLINT not null, msg TEXT, time DATETIME not null, ping INTEGER, duration INTEGER default 0 not null);
`;

/** Columns added later with `alter table`; earlier rows have no value in them. */
const later123 = [
  "ALTER TABLE monitor ADD retry_interval INTEGER default 0 not null",
  "ALTER TABLE monitor ADD push_token VARCHAR(20) DEFAULT NULL",
  "ALTER TABLE monitor ADD method TEXT default 'GET' not null",
  "ALTER TABLE monitor ADD body TEXT default null",
  "ALTER TABLE monitor ADD headers TEXT default null",
  "ALTER TABLE monitor ADD basic_auth_user TEXT default null",
  "ALTER TABLE monitor ADD basic_auth_pass TEXT default null",
  "ALTER TABLE monitor ADD proxy_id INTEGER",
  "ALTER TABLE monitor ADD expiry_notification BOOLEAN default 1",
  "ALTER TABLE monitor ADD auth_method VARCHAR(250)",
  "ALTER TABLE monitor ADD resend_interval INTEGER default 0 not null",
  "ALTER TABLE monitor ADD http_body_encoding VARCHAR(25)",
  "ALTER TABLE monitor ADD description TEXT default null",
  "ALTER TABLE monitor ADD parent INTEGER REFERENCES [monitor] ([id]) ON DELETE SET NULL ON UPDATE CASCADE",
  "ALTER TABLE monitor ADD invert_keyword BOOLEAN default 0 not null",
  "ALTER TABLE monitor ADD json_path TEXT",
  "ALTER TABLE monitor ADD expected_value VARCHAR(255)",
  "ALTER TABLE monitor ADD timeout DOUBLE default 0 not null",
  "ALTER TABLE monitor ADD database_connection_string VARCHAR(2000)",
  "ALTER TABLE monitor ADD database_query TEXT",
  "ALTER TABLE monitor ADD radius_password VARCHAR(255)",
  "ALTER TABLE monitor ADD grpc_url VARCHAR(255) default null",
  "ALTER TABLE monitor ADD grpc_body TEXT default null",
  "ALTER TABLE monitor ADD grpc_method VARCHAR(255) default null",
  "ALTER TABLE monitor ADD grpc_service_name VARCHAR(255) default null",
  "ALTER TABLE monitor ADD grpc_enable_tls BOOLEAN default 0 not null",
  "ALTER TABLE monitor ADD tls_ca TEXT default null",
  "ALTER TABLE monitor ADD tls_cert TEXT default null",
  "ALTER TABLE monitor ADD tls_key TEXT default null",
  "ALTER TABLE monitor ADD oauth_client_id TEXT default null",
  "ALTER TABLE monitor ADD oauth_client_secret TEXT default null",
  "ALTER TABLE monitor ADD oauth_token_url TEXT default null",
  "ALTER TABLE monitor ADD oauth_scopes TEXT default null",
  "ALTER TABLE monitor ADD oauth_auth_method TEXT default null",
];
/** The same for 2.0, as written by knex. */
const later2 = [
  "alter table `monitor` add column `json_path_operator` varchar(10) default null",
  "alter table `monitor` add column `conditions` text not null default '[]'",
  "alter table `monitor` add column `cache_bust` boolean not null default '0'",
  "alter table `monitor` add column `snmp_version` text check (`snmp_version` in ('1', '2c', '3')) default '2c'",
  "alter table `monitor` add column `ip_family` varchar(4) default null",
  "alter table `monitor` add column `smtp_security` varchar(255) default null",
  "alter table `monitor` add column `domain_expiry_notification` boolean default '0'",
  "alter table `monitor` add column `expected_tls_alert` varchar(50) default null",
  "alter table `monitor` add column `retry_only_on_status_code_failure` boolean not null default '0'",
  "alter table `monitor` add column `bearer_token` text default null",
  "alter table `monitor` add column `oauth_audience` varchar(255) default null",
  "alter table `monitor` add column `ws_subprotocol` varchar(255) not null default ''",
  "alter table `monitor` add column `ping_count` integer not null default 1",
];

type Row = Record<string, string | number | null>;

/**
 * Creates a database with Uptime Kuma's schema.
 * @param early monitors created before the later columns were added
 */
export function makeKumaDatabase(
  path: string,
  { version, early = [], rows }: { version: "1.23" | "2"; early?: Row[]; rows: Record<string, Row[]> },
): void {
  // Foreign keys are off because the database is only read when complete.
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec(`pragma synchronous = off; begin; ${tables123}`);
  const insert = (table: string, row: Row) => {
    const columns = Object.keys(row);
    const names = columns.map((column) => `"${column}"`).join(", ");
    database
      .prepare(`insert into "${table}" (${names}) values (${columns.map(() => "?").join(", ")})`)
      .run(...Object.values(row));
  };
  for (const row of early) insert("monitor", row);
  for (const change of version === "2" ? [...later123, ...later2] : later123) database.exec(change);
  for (const [table, all] of Object.entries(rows)) for (const row of all) insert(table, row);
  database.exec("commit");
  database.close();
}

/** Returns the rows of the existing tables, as from `sqlite3 -json`. */
export function readKumaDatabase(path: string, names: readonly string[]): Record<string, Row[]> {
  const database = new DatabaseSync(path, { readOnly: true });
  const known = database.prepare("select name from sqlite_schema where type = 'table'").all() as { name: string }[];
  const wanted = names.filter((name) => known.some((one) => one.name === name));
  const tables = wanted.map((name) => [
    name,
    database
      .prepare(`select * from "${name}"`)
      .all()
      .map((row) => ({ ...row })),
  ]);
  database.close();
  return Object.fromEntries(tables) as Record<string, Row[]>;
}
