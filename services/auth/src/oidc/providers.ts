import { AppError, invalid } from "@sonde/kit/errors";
import { secretContexts } from "@sonde/kit/secrets";
import { secretMask } from "@sonde/proto/http/secrets";
import {
  type CreateProviderInput,
  environmentSlug,
  maxProviders,
  type PasswordPolicy,
  type SignInProvider,
  type SignInState,
  type UpdateProviderInput,
} from "@sonde/proto/http/sign-in";
import { type Context, record, requireAdmin } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import type { OpenProvider, StoredProvider } from "./store.ts";

type WithOrigin = { origin: string };

export async function readSignInState(ctx: Pick<Context, "store" | "signIn">): Promise<SignInState> {
  const providers = await allProviders(ctx);
  return { passwords: ctx.signIn.passwords, providers: providers.map(({ slug, name }) => ({ slug, name })) };
}

export async function listProviders(
  ctx: Context,
  { origin }: WithOrigin,
): Promise<{ providers: SignInProvider[]; passwords: PasswordPolicy }> {
  requireAdmin(ctx);
  const providers = (await allProviders(ctx)).map((provider) => present(ctx, provider, origin));
  return { providers, passwords: ctx.signIn.passwords };
}

/** Admins only. @throws AppError `conflict` (slug taken), `impossible` (too many, or no key to seal the secret) */
export async function createProvider(ctx: Context, input: CreateProviderInput & WithOrigin): Promise<SignInProvider> {
  requireAdmin(ctx);
  const { origin, ...given } = input;
  const row = { ...rowOf(ctx, given, null), slug: given.slug };
  return ctx.store.transaction(async (tx) => {
    await tx.signIn.lockProviders();
    if ((await tx.signIn.providers()).length >= maxProviders)
      throw new AppError("impossible", "At most {max} providers are allowed", { params: { max: maxProviders } });
    if (!(await tx.signIn.insertProvider(row))) {
      const message = "This name is already taken";
      throw new AppError("conflict", message, { details: [{ path: "slug", message }] });
    }
    const made = present(ctx, row, origin);
    await record(tx, { action: "create", target: providerAuditTarget(row), after: made });
    return made;
  });
}

/** An absent or masked secret keeps the stored one. Admins only. @throws AppError `not_found`, `conflict`, `invalid` */
export async function updateProvider(
  ctx: Context,
  { origin, ...input }: UpdateProviderInput & WithOrigin & { slug: string },
): Promise<SignInProvider> {
  requireAdmin(ctx);
  refuseEnvironment(ctx, input.slug);
  return ctx.store.transaction(async (tx) => {
    await tx.signIn.lockProviders();
    const before = await tx.signIn.provider(input.slug);
    if (before === undefined) throw notFound();
    const row = { ...rowOf(ctx, input, before), slug: input.slug };
    await tx.signIn.updateProvider(row);
    const [old, made] = [present(ctx, before, origin), present(ctx, row, origin)];
    const isNewSecret =
      before.clientSecret !== null && row.clientSecret !== null && row.clientSecret !== before.clientSecret;
    await record(tx, {
      action: "update",
      target: providerAuditTarget(row),
      before: old,
      after: made,
      secrets: isNewSecret ? ["clientSecret"] : [],
    });
    return made;
  });
}

/** The provider's sessions have ended before this resolves. Admins only. @throws AppError `not_found`, `conflict` */
export async function deleteProvider(ctx: Context, { slug }: { slug: string }): Promise<void> {
  requireAdmin(ctx);
  refuseEnvironment(ctx, slug);
  await changeSessions(ctx, async ({ users, sessions, signIn, audit, end }) => {
    await signIn.lockProviders();
    const before = await signIn.provider(slug);
    if (before === undefined) throw notFound();
    for (const userId of await signIn.usersOfProvider(slug)) {
      await users.lock(userId);
      const tokens = await signIn.tokensOfProvider(slug, userId);
      for (const token of tokens) await sessions.delete(token);
      await end(tokens);
    }
    await signIn.deleteProvider(slug);
    await record(
      { audit },
      { action: "delete", target: providerAuditTarget(before), before: present(ctx, before, "") },
    );
  });
}

/** @throws AppError `not_found`; `unavailable` without a key to decrypt the secret */
export async function findProvider(
  ctx: Pick<Context, "store" | "signIn" | "secrets">,
  slug: string,
): Promise<OpenProvider> {
  if (slug === environmentSlug && ctx.signIn.environment !== null) return ctx.signIn.environment;
  const stored = await ctx.store.signIn.provider(slug);
  if (stored === undefined) throw notFound();
  return openProvider(ctx, stored);
}

export function openProvider({ secrets }: Pick<Context, "secrets">, stored: StoredProvider): OpenProvider {
  const { clientSecret, ...provider } = stored;
  if (clientSecret === null) return { ...provider, secret: null };
  if (secrets === null) throw new AppError("unavailable", needsKey);
  return { ...provider, secret: secrets.open(clientSecret, secretContexts.oidcClient) };
}

const needsKey = "This requires SONDE_KEY_SIGNIN, which is not set in this installation";
const notFound = () => new AppError("not_found", "Provider does not exist");

async function allProviders(ctx: Pick<Context, "store" | "signIn">): Promise<(StoredProvider | OpenProvider)[]> {
  const { environment } = ctx.signIn;
  return [...(environment === null ? [] : [environment]), ...(await ctx.store.signIn.providers())];
}

function refuseEnvironment({ signIn }: Context, slug: string): void {
  if (slug === environmentSlug && signIn.environment !== null)
    throw new AppError("conflict", "This provider is set by environment variables and cannot be changed here");
}

export async function resealProviders({
  secrets,
  store,
  log,
}: Pick<Context, "secrets" | "store" | "log">): Promise<void> {
  for (const { slug, clientSecret } of secrets === null ? [] : await store.signIn.providers()) {
    if (secrets === null || clientSecret === null || secrets.isCurrent(clientSecret, secretContexts.oidcClient))
      continue;
    try {
      const plain = secrets.open(clientSecret, secretContexts.oidcClient);
      await store.signIn.reseal(slug, clientSecret, secrets.seal(plain, secretContexts.oidcClient));
    } catch (error) {
      log.error({ err: error, provider: slug }, "provider secret cannot be opened");
    }
  }
}

/** Keeps the previous secret if none is entered. @throws AppError `invalid`, `impossible` */
function rowOf(
  ctx: Context,
  { clientSecret, ...given }: UpdateProviderInput,
  before: StoredProvider | null,
): Omit<StoredProvider, "slug"> {
  const isKept = clientSecret === undefined || clientSecret === secretMask;
  const hasSecret = before !== null && before.clientSecret !== null;
  // The stored secret would be sent to a different issuer.
  if (isKept && hasSecret && before.issuer !== given.issuer)
    throw invalid([{ path: "clientSecret", message: "The issuer has changed: enter the secret again" }]);
  if (clientSecret === secretMask && !hasSecret)
    throw invalid([{ path: "clientSecret", message: "No value is stored for this secret yet: please enter one" }]);
  const scopes = [...new Set(["openid", ...given.scopes])];
  const rest = { ...given, tokenAuth: given.tokenAuth ?? null, scopes, updatedAtMs: ctx.clock.now() };
  if (isKept) return { ...rest, clientSecret: before?.clientSecret ?? null };
  if (clientSecret === "") return { ...rest, clientSecret: null };
  if (ctx.secrets === null)
    throw new AppError("impossible", needsKey, { details: [{ path: "clientSecret", message: needsKey }] });
  return { ...rest, clientSecret: ctx.secrets.seal(clientSecret, secretContexts.oidcClient) };
}

export const redirectUriOf = (origin: string, slug: string): string => `${origin}/api/auth/oidc/${slug}/callback`;
export const signInOrigin = ({ signIn }: Pick<Context, "signIn">, asked: string): string => signIn.publicUrl ?? asked;

function present(ctx: Context, provider: StoredProvider | OpenProvider, asked: string): SignInProvider {
  const { slug, name, issuer, clientId, tokenAuth, scopes, roleClaim, roles, otherwise, linkByMail, updatedAtMs } =
    provider;
  const hasSecret = ("secret" in provider ? provider.secret : provider.clientSecret) !== null;
  const origin = signInOrigin(ctx, asked);
  return {
    slug,
    name,
    issuer,
    clientId,
    ...(hasSecret && { clientSecret: secretMask }),
    ...(tokenAuth !== null && { tokenAuth }),
    scopes,
    roleClaim,
    roles,
    otherwise,
    linkByMail,
    isReadOnly: slug === environmentSlug,
    redirectUri: redirectUriOf(origin, slug),
    logoutUri: `${origin}/api/auth/oidc/${slug}/logout`,
    ...(updatedAtMs !== null && { updatedAt: new Date(updatedAtMs).toISOString() }),
  };
}

export const providerAuditTarget = ({ slug, name }: Pick<OpenProvider, "slug" | "name">) =>
  ({ type: "provider", id: slug, name }) as const;
