import { AppError } from "@sonde/kit/errors";
import type { ProviderReport, TestProviderInput } from "@sonde/proto/http/sign-in";
import * as z from "zod";
import { type Context, record, requireAdmin } from "../context.ts";
import { providerFailure, toleranceSeconds } from "./connection.ts";
import { findProvider, providerAuditTarget } from "./providers.ts";
import { roleOf, valuesAt } from "./roles.ts";

const keySet = z.object({
  keys: z.array(z.object({ kty: z.string(), alg: z.string().optional(), use: z.string().optional() })),
});

/**
 * What can be known of a provider before anyone signs in: whether it is found, its keys, how far its clock is off, and which
 * role claims would give. No secret is sent. Admins only. @throws AppError `not_found`
 */
export async function testProvider(
  ctx: Context,
  { slug, provider: draft, claims }: TestProviderInput & { slug: string },
): Promise<ProviderReport> {
  requireAdmin(ctx);
  const provider = draft ?? (await findProvider(ctx, slug));
  const report = await look(ctx, provider.issuer, provider.clientId);
  const values = claims === undefined ? [] : valuesAt(claims, provider.roleClaim);
  const named = { slug, name: provider.name };
  await record(ctx.store, { action: "test", target: providerAuditTarget(named) });
  return {
    ...report,
    ...(claims !== undefined && { role: { role: roleOf(provider, values), values: values.slice(0, 100) } }),
  };
}

type Look = Omit<ProviderReport, "role">;

async function look({ signIn, clock }: Context, issuer: string, clientId: string): Promise<Look> {
  const unseen = { isOk: false };
  try {
    const { config } = await signIn.connections.connect({ issuer, clientId, secret: null, tokenAuth: null });
    const metadata = config.serverMetadata();
    const discovery = { isOk: true, detail: metadata.issuer };
    const backchannelLogout = metadata["backchannel_logout_supported"] === true;
    try {
      const sentAtMs = clock.now();
      const answer = await signIn.connections.fetch(metadata.jwks_uri!, { headers: { accept: "application/json" } });
      const usable = keySet
        .parse(await answer.json())
        .keys.filter(({ kty, use }) => ["RSA", "EC"].includes(kty) && use !== "enc");
      const keys = {
        isOk: answer.ok && usable.length > 0,
        detail: usable.map(({ kty, alg }) => alg ?? kty).join(", "),
      };
      return { discovery, keys, clock: clockOf(answer, (sentAtMs + clock.now()) / 2), backchannelLogout };
    } catch (error) {
      return { discovery, keys: { isOk: false, detail: providerFailure(error) }, clock: unseen, backchannelLogout };
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    return {
      discovery: { isOk: false, detail: providerFailure(error) },
      keys: unseen,
      clock: unseen,
      backchannelLogout: false,
    };
  }
}

/** How far a server's clock is before ours, by the date of its answer, which is in whole seconds. */
function clockOf(answer: Response, nowMs: number): ProviderReport["clock"] {
  const at = Date.parse(answer.headers.get("date") ?? "");
  if (Number.isNaN(at)) return { isOk: true };
  const differenceSeconds = Math.round((at - nowMs) / 1000);
  return { isOk: Math.abs(differenceSeconds) < toleranceSeconds, differenceSeconds };
}
