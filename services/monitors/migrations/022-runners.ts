import { sqlMigration } from "@sonde/kit/postgres/database";

export const runnersMigration = sqlMigration(`
  create table runner_tokens (
    id integer generated always as identity primary key,
    -- Hex SHA-256.
    hash text not null unique,
    location text not null,
    created_at_ms bigint not null,
    expires_at_ms bigint not null,
    used_at_ms bigint
  );
  create table runners (
    id integer generated always as identity primary key,
    location text not null,
    name text not null,
    -- Hex SHA-256.
    key_hash text not null unique,
    revision bigint not null,
    version text not null,
    created_at_ms bigint not null,
    last_seen_at_ms bigint,
    revoked_at_ms bigint
  );
`);
