import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import Provider from "oidc-provider";

export const clientId = "sonde";
export const clientSecret = "s3cret:of & sonde%";

/** A real OpenID provider in this process that signs in `account` without asking, with switches for tests. */
export type TestProvider = {
  issuer: string;
  /** The account to sign in, and its claims in addition to `sub`. */
  account: { sub: string; claims: Record<string, unknown> };
  /** Changes the ID token or its signature. */
  tamper: ((claims: JWTPayload) => { claims?: JWTPayload; alg?: string; key?: CryptoKey | Uint8Array } | void) | null;
  /** Replaces the responses of these paths. */
  answers: Map<string, (response: ServerResponse) => void>;
  requests: string[];
  /** Accepted client authentication; `null` for both methods. */
  tokenAuth: "basic" | "post" | null;
  /** Replaces the signing key. */
  rotate(): Promise<void>;
  /** If true, refresh tokens and sessions are rejected. */
  refuse: boolean;
  sign(claims: JWTPayload, header?: Record<string, string>): Promise<string>;
  /** Follows an authorization URL to the redirect back, like a browser. */
  visit(url: string): Promise<URL>;
  stop(): Promise<void>;
};

const challenge = { "www-authenticate": 'Basic realm="test"' };

type Key = { jwk: JWK; key: CryptoKey; kid: string };

async function makeKey(kid: string): Promise<Key> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { jwk: { ...(await exportJWK(privateKey)), kid, alg: "ES256", use: "sig" }, key: privateKey, kid };
}

export async function startProvider(redirectUris: string[]): Promise<TestProvider> {
  let rotations = 0;
  let key = await makeKey("key-0");
  let handle: ReturnType<Provider["callback"]>;
  const server = createServer((request, response) => void answer(request, response));
  const open = new Set<Socket>();
  server.on("connection", (socket) => void open.add(socket.once("close", () => open.delete(socket))));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const make = (): Provider => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: redirectUris,
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          id_token_signed_response_alg: "ES256",
        },
      ],
      jwks: { keys: [key.jwk] },
      cookies: { keys: ["test"] },
      claims: {
        openid: ["sub"],
        profile: ["preferred_username", "groups", "name"],
        email: ["email", "email_verified"],
      },
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      issueRefreshToken: () => true,
      findAccount: (_ctx, sub) =>
        made.refuse ? undefined : { accountId: sub, claims: () => ({ ...made.account.claims, sub }) },
      loadExistingGrant: async (ctx) => {
        const grant = new ctx.oidc.provider.Grant({ clientId, accountId: ctx.oidc.session!.accountId! });
        grant.addOIDCScope("openid profile email");
        await grant.save();
        return grant;
      },
      ttl: {
        AccessToken: 600,
        AuthorizationCode: 60,
        IdToken: 600,
        RefreshToken: 86_400,
        Session: 86_400,
        Grant: 86_400,
        Interaction: 600,
      },
    });
    handle = provider.callback();
    return provider;
  };

  const made: TestProvider = {
    issuer,
    account: { sub: "person-1", claims: { preferred_username: "ada", groups: ["ops"] } },
    tamper: null,
    answers: new Map(),
    requests: [],
    tokenAuth: null,
    refuse: false,
    rotate: async () => {
      key = await makeKey(`key-${++rotations}`);
      provider = make();
    },
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: key.kid, ...header }).sign(key.key),
    visit: (url) => visit(url, issuer),
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  let provider = make();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", issuer).pathname;
    made.requests.push(path);
    const instead = made.answers.get(path);
    if (instead !== undefined) return instead(response);
    if (path.startsWith("/interaction/")) {
      const details = await provider.interactionDetails(request, response);
      if (made.account.sub === "") {
        const refusal = { error: "access_denied", error_description: "<script>" };
        return provider.interactionFinished(request, response, refusal);
      }
      const result = details.prompt.name === "login" ? { login: { accountId: made.account.sub } } : { consent: {} };
      return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
    }
    const way = request.headers.authorization === undefined ? "post" : "basic";
    if (path === "/token" && (made.tokenAuth ?? way) !== way) {
      // RFC 6749, 5.2: with a challenge if the client sent the header.
      response.writeHead(401, { "content-type": "application/json", ...(way === "basic" && challenge) });
      return void response.end(JSON.stringify({ error: "invalid_client" }));
    }
    if (path === "/token" && made.tamper !== null) return tampered(request, response, made.tamper);
    await handle(request, response);
  }

  /** Responds to a token request with a tampered, re-signed ID token. */
  async function tampered(
    request: IncomingMessage,
    response: ServerResponse,
    tamper: NonNullable<TestProvider["tamper"]>,
  ) {
    const chunks: Buffer[] = [];
    const [write, end] = [response.write.bind(response), response.end.bind(response)];
    const keep = (chunk: unknown) =>
      void (typeof chunk === "string" || chunk instanceof Uint8Array ? chunks.push(Buffer.from(chunk)) : undefined);
    response.write = ((chunk: unknown) => (keep(chunk), true)) as typeof response.write;
    response.end = ((chunk: unknown) => {
      keep(chunk);
      void (async () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { id_token?: string };
        if (body.id_token !== undefined) {
          const claims = JSON.parse(Buffer.from(body.id_token.split(".")[1]!, "base64url").toString()) as JWTPayload;
          const { claims: changed = claims, alg = "ES256", key: other = key.key } = tamper(claims) ?? {};
          body.id_token = await new SignJWT(changed).setProtectedHeader({ alg, kid: key.kid }).sign(other);
        }
        const text = JSON.stringify(body);
        response.setHeader("content-length", Buffer.byteLength(text));
        write(text);
        end();
      })();
      return response;
    }) as typeof response.end;
    await handle(request, response);
  }

  return made;
}

/** Follows redirects within the provider, with cookies. */
async function visit(url: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let at = new URL(url);
  for (let hops = 0; hops < 10; hops += 1) {
    if (at.origin !== issuer) return at;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`${answer.status} ${await answer.text()}`);
    at = new URL(location, at);
  }
  throw new Error("too many redirects");
}
