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
 * Discovery, keys, clock difference, and the role that sample claims would give. Sends no secret. Admins only.
 * @throws AppError `not_found`
 */
export async function testProvider(
  ctx: Context,
  { slug, provider: draft, claims }: TestProviderInput & { slug: string },
): Promise<ProviderReport> {
  requireAdmin(ctx);
  const provider = draft ?? (await findProvider(ctx, slug));
  const report = await inspect(ctx, provider.issuer, provider.clientId);
  const values = claims === undefined ? [] : valuesAt(claims, provider.roleClaim);
  const named = { slug, name: provider.name };
  await record(ctx.store, { action: "test", target: providerAuditTarget(named) });
  return {
    ...report,
    ...(claims !== undefined && { role: { role: roleOf(provider, values), values: values.slice(0, 100) } }),
  };
}

type Inspection = Omit<ProviderReport, "role">;

async function inspect({ signIn, clock }: Context, issuer: string, clientId: string): Promise<Inspection> {
  const unknown = { isOk: false };
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
      return { discovery, keys: { isOk: false, detail: providerFailure(error) }, clock: unknown, backchannelLogout };
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    return {
      discovery: { isOk: false, detail: providerFailure(error) },
      keys: unknown,
      clock: unknown,
      backchannelLogout: false,
    };
  }
}

/** Positive if the server is ahead. The Date header has a resolution of one second. */
function clockOf(answer: Response, nowMs: number): ProviderReport["clock"] {
  const at = Date.parse(answer.headers.get("date") ?? "");
  if (Number.isNaN(at)) return { isOk: true };
  const differenceSeconds = Math.round((at - nowMs) / 1000);
  return { isOk: Math.abs(differenceSeconds) < toleranceSeconds, differenceSeconds };
}
