import type { Database } from "@sonde/kit/postgres/database";

/**
 * Sign-in through identity providers. Times are epoch milliseconds; hashes are hex SHA-256 of secrets that browsers
 * hold. A flow is a sign-in in progress: it has 10 minutes until the browser returns, then a minute to exchange its
 * code for a session.
 */
export const providersMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table providers (
        slug text primary key,
        name text not null,
        issuer text not null,
        client_id text not null,
        -- Sealed; null for public clients.
        client_secret text,
        scopes text[] not null,
        role_claim text not null,
        roles jsonb not null,
        otherwise text not null,
        link_by_mail boolean not null,
        updated_at_ms bigint not null
      );

      create table identities (
        id integer generated always as identity primary key,
        issuer text not null,
        sub text not null,
        user_id integer not null references users on delete cascade,
        created_at_ms bigint not null,
        unique (issuer, sub)
      );
      create index identities_of_user on identities (user_id);

      create table flows (
        hash text primary key,
        slug text not null,
        origin text not null,
        next text,
        expires_at_ms bigint not null,
        used boolean not null default false,
        -- Set when the browser returns:
        code_hash text unique,
        identity_id integer references identities on delete cascade,
        sid text,
        refresh_token text
      );
      create index flows_by_expiry on flows (expires_at_ms);

      -- Sessions opened through a provider.
      create table provider_sessions (
        token_hash text primary key references sessions on delete cascade,
        slug text not null,
        identity_id integer not null references identities on delete cascade,
        sid text,
        -- Sealed; null if the provider issued none.
        refresh_token text,
        checked_at_ms bigint not null
      );
      create index provider_sessions_of_identity on provider_sessions (identity_id);
      create index provider_sessions_by_check on provider_sessions (checked_at_ms) where refresh_token is not null;

      -- Logout tokens already used, until they expire.
      create table logout_tokens (
        issuer text not null,
        jti text not null,
        expires_at_ms bigint not null,
        primary key (issuer, jti)
      );
    `),
};
