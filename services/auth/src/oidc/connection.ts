import { EgressError, type OutgoingRequests } from "@sonde/kit/egress/requests";
import { type Clock, systemClock } from "@sonde/kit/time/clock";
import type { JWTVerifyGetKey, JWTPayload } from "jose";
import type { ClientAuth, Configuration, CustomFetch } from "openid-client";
import type { OpenProvider } from "./store.ts";

/** Only asymmetric algorithms: the client secret must not be able to sign ID tokens. */
export const algorithms = ["RS", "PS", "ES"].flatMap((family) => [256, 384, 512].map((bits) => `${family}${bits}`));
export const toleranceSeconds = 300;
const discoveryMs = 3_600_000;
const requestSeconds = 10;
/** Minimum interval between fetches for unknown keys. */
const keyCooldownMs = 5_000;
const keysMs = 600_000;

/** Loaded on first use: most installations have no provider. */
export const loadClient = () => import("openid-client");
const loadJose = () => import("jose");

/** `other` uses the other authentication method; `null` without a secret. */
export type ProviderConnection = {
  config: Configuration;
  other: Configuration | null;
  keys: JWTVerifyGetKey;
};
type ClientSettings = Pick<OpenProvider, "issuer" | "clientId" | "secret" | "tokenAuth">;

export type Connections = {
  /** @throws discovery errors; see `isProviderUnavailable` */
  connect(provider: ClientSettings): Promise<ProviderConnection>;
  /** Sends requests through the egress guard. */
  fetch: typeof fetch;
};

/** Caches each provider's discovery for an hour, unless it failed. */
export function createConnections(requests: OutgoingRequests, clock: Clock = systemClock): Connections {
  const cache = new Map<string, { connection: Promise<ProviderConnection>; atMs: number }>();
  const send = fetchOver(requests);
  return {
    fetch: send,
    connect: (provider) => {
      const key = JSON.stringify([provider.issuer, provider.clientId, provider.secret, provider.tokenAuth]);
      const cached = cache.get(key);
      if (cached !== undefined && clock.elapsedMs() - cached.atMs < discoveryMs) return cached.connection;
      const connection = discover(provider, send);
      // Most entries belong to provider settings that have since changed.
      if (cache.size > 100) cache.clear();
      cache.set(key, { connection, atMs: clock.elapsedMs() });
      connection.catch(() => cache.delete(key));
      return connection;
    },
  };
}

async function discover(
  { issuer, clientId, secret, tokenAuth }: ClientSettings,
  send: typeof fetch,
): Promise<ProviderConnection> {
  const [oidc, { createRemoteJWKSet, customFetch }] = await Promise.all([loadClient(), loadJose()]);
  const url = new URL(issuer);
  const insecure = url.protocol === "http:" ? [oidc.allowInsecureRequests] : [];
  const found = await oidc.discovery(url, clientId, undefined, undefined, {
    [oidc.customFetch]: send as CustomFetch,
    execute: insecure,
    timeout: requestSeconds,
  });
  const { supportsPKCE: _method, ...metadata } = found.serverMetadata();
  if (metadata.jwks_uri === undefined || metadata.authorization_endpoint === undefined)
    throw new Error("the provider's metadata lacks jwks_uri or authorization_endpoint");
  const ways = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const isBasic = tokenAuth === null ? ways.includes("client_secret_basic") : tokenAuth === "basic";
  const offered = metadata.id_token_signing_alg_values_supported ?? ["RS256"];
  const configure = (authentication: ClientAuth) => {
    const config = new oidc.Configuration(
      { ...metadata, id_token_signing_alg_values_supported: offered.filter((one) => algorithms.includes(one)) },
      clientId,
      { [oidc.clockTolerance]: toleranceSeconds },
      authentication,
    );
    config[oidc.customFetch] = send as CustomFetch;
    config.timeout = requestSeconds;
    for (const allow of insecure) allow(config);
    return config;
  };
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    [customFetch]: send,
    cooldownDuration: keyCooldownMs,
    cacheMaxAge: keysMs,
    timeoutDuration: requestSeconds * 1000,
  });
  if (secret === null) return { config: configure(oidc.None()), other: null, keys };
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)].map(configure) as [
    Configuration,
    Configuration,
  ];
  return isBasic ? { config: basic, other: post, keys } : { config: post, other: basic, keys };
}

/**
 * If the provider rejects the client, retries with the other authentication method, and keeps that one if it works.
 * @throws whatever `send` throws
 */
export async function requestTokens<Tokens>(
  connection: ProviderConnection,
  send: (config: Configuration) => Promise<Tokens>,
): Promise<Tokens> {
  const { config, other } = connection;
  try {
    return await send(config);
  } catch (error) {
    if (other === null || !(await isInvalidClient(error))) throw error;
    const tokens = await send(other);
    Object.assign(connection, { config: other, other: config });
    return tokens;
  }
}

/** RFC 6749, 5.2: a 401 with a challenge has the same meaning. */
async function isInvalidClient(error: unknown): Promise<boolean> {
  const { ResponseBodyError, WWWAuthenticateChallengeError } = await loadClient();
  return error instanceof ResponseBodyError
    ? error.error === "invalid_client"
    : error instanceof WWWAuthenticateChallengeError && error.status === 401;
}

/** @throws unless the provider signed the token for this client */
export async function verifyToken(
  { config, keys }: ProviderConnection,
  token: string,
  { nowMs, maxAgeSeconds }: { nowMs: number; maxAgeSeconds?: number },
): Promise<JWTPayload> {
  const { jwtVerify } = await loadJose();
  const { payload } = await jwtVerify(token, keys, {
    issuer: config.serverMetadata().issuer,
    audience: config.clientMetadata().client_id,
    algorithms,
    clockTolerance: toleranceSeconds,
    currentDate: new Date(nowMs),
    ...(maxAgeSeconds !== undefined && { maxTokenAge: maxAgeSeconds }),
  });
  return payload;
}

function fetchOver(requests: OutgoingRequests): typeof fetch {
  return async (address, init) => {
    const { method = "GET", headers, body, signal } = init ?? {};
    const answer = await requests.request({
      method: method as "GET" | "POST",
      url: address instanceof Request ? address.url : address.toString(),
      headers: Object.fromEntries(new Headers(headers)),
      body: body === undefined || body === null ? "" : String(body as URLSearchParams),
      signal: signal ?? AbortSignal.timeout(requestSeconds * 1000),
    });
    const { statusCode, text } = answer;
    const hasText = statusCode >= 200 && ![204, 205, 304].includes(statusCode);
    return new Response(hasText ? text : null, { status: Math.max(200, statusCode), headers: answer.headers });
  };
}

/** True for no response, or a 5xx status. */
export function isProviderUnavailable(thrown: unknown): boolean {
  for (let error: unknown = thrown, depth = 0; error instanceof Error && depth < 6; error = error.cause, depth += 1) {
    if (error instanceof EgressError || error.name === "TimeoutError") return true;
    const code = "code" in error ? error.code : undefined;
    if (code === "OAUTH_TIMEOUT" || code === "ERR_JWKS_TIMEOUT") return true;
    const status = "status" in error ? error.status : error.cause instanceof Response ? error.cause.status : undefined;
    if (typeof status === "number" && status >= 500) return true;
  }
  return false;
}

/** For administrators; contains no text from the provider. */
export function providerFailure(thrown: unknown): string {
  for (let error: unknown = thrown, depth = 0; error instanceof Error && depth < 6; error = error.cause, depth += 1) {
    if (error instanceof EgressError) return error.message;
    if (error.cause instanceof Response) return `HTTP ${error.cause.status}`;
  }
  return thrown instanceof Error ? thrown.message.slice(0, 200) : "unknown";
}
