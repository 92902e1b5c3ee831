import { AppError, invalid } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";
import { type BegunFactor, type FactorType, type MadePasskey, maxPasskeys } from "@sonde/proto/http/factors";
import { type Context, record, type StoreInTransaction } from "../context.ts";
import { type Account, userAuditTarget } from "../users/store.ts";
import { creationOptions, relyingPartyOf, verifyNewPasskey } from "./passkeys.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery.ts";
import type { StoredFactor, StoredPasskey, Ticket } from "./store.ts";
import { matchingStep, newTotpSecret, stepOutsideTolerance, totpUri } from "./totp.ts";
import { requireSecretBox } from "./secrets.ts";

export const isPasskey = (factor: StoredFactor): factor is StoredPasskey => factor.type === "passkey";

type Begun = { stored: Partial<Pick<Ticket, "challenge" | "sealedSecret">> } & Pick<BegunFactor, "totp" | "passkey">;

/**
 * Returns what the browser needs, and what to store in the ticket. @param user locked in the transaction
 * @throws AppError `conflict` (already has an app), `impossible` (too many passkeys, or unsupported), `unavailable` (no
 * key)
 */
export async function beginFactor(
  ctx: Context,
  { factors }: StoreInTransaction,
  user: Account,
  { type, origin }: { type: FactorType; origin: string | undefined },
): Promise<Begun> {
  const known = await factors.ofUser(user.id);
  const passkeys = known.filter(isPasskey);
  if (type === "totp") {
    if (known.length > passkeys.length) throw new AppError("conflict", "An authenticator app is already set up");
    const secret = newTotpSecret();
    const sealedSecret = requireSecretBox(ctx).seal(secret.toString("base64"), "totp");
    const issuer = origin === undefined ? "Sonde" : `Sonde ${new URL(origin).host}`;
    const uri = totpUri(secret, issuer, user.username);
    return {
      stored: { sealedSecret, challenge: null },
      totp: { secret: new URL(uri).searchParams.get("secret")!, uri },
    };
  }
  if (passkeys.length >= maxPasskeys)
    throw new AppError("impossible", "An account can have at most {max} passkeys", { params: { max: maxPasskeys } });
  const party = relyingPartyOf(origin);
  if (party === null) throw noPasskeys();
  const { challenge, options } = await creationOptions(party, user, passkeys);
  return { stored: { challenge, sealedSecret: null }, passkey: options };
}

export const noPasskeys = () =>
  new AppError("impossible", "Passkeys require PUBLIC_URL to be the https address where users open Sonde");

type Given = { code?: string | undefined; passkey?: MadePasskey | undefined; name?: string | undefined };

/** @throws AppError `impossible` at `code` or `passkey`, `invalid`, `conflict` */
export async function finishFactor(
  ctx: Context,
  tx: StoreInTransaction,
  user: Account,
  { ticket, given: { code, passkey, name }, origin }: { ticket: Ticket; given: Given; origin: string | undefined },
): Promise<{ factor: StoredFactor; recoveryCodes?: string[] }> {
  const nowMs = ctx.clock.now();
  const common = { userId: user.id, createdAtMs: nowMs };
  const before = await tx.factors.ofUser(user.id);
  const insert = async (): Promise<StoredFactor> => {
    if (code !== undefined && ticket.sealedSecret !== null) {
      const secret = Buffer.from(requireSecretBox(ctx).open(ticket.sealedSecret, "totp"), "base64");
      const lastStep = matchingStep(secret, digitsOf(code), nowMs);
      if (lastStep === null)
        throw refused(
          "code",
          stepOutsideTolerance(secret, digitsOf(code), nowMs) === null ? "The code is not correct" : wrongClock,
        );
      const { sealedSecret } = ticket;
      return tx.factors.insert({ ...common, type: "totp", name: name ?? "Authenticator app", sealedSecret, lastStep });
    }
    const party = relyingPartyOf(origin);
    if (passkey !== undefined && ticket.challenge !== null && party !== null) {
      const made = await verifyNewPasskey(passkey, { party, challenge: ticket.challenge });
      if (made === null) throw refused("passkey", "The passkey could not be verified");
      return tx.factors.insert({ ...common, type: "passkey", name: name ?? "Passkey", ...made });
    }
    throw invalid([{ path: ticket.sealedSecret === null ? "passkey" : "code", message: "This field is required" }]);
  };
  const factor = await insert();
  // Another ticket, held by someone else who knows the password, must not add a second factor.
  await tx.tickets.deleteOfUser(user.id, "enroll");
  await recordFactors(tx, user, before, [...before, factor]);
  if ((await tx.factors.countRecoveryCodes(user.id)) > 0) return { factor };
  return { factor, recoveryCodes: await issueRecoveryCodes(tx, user) };
}

export async function issueRecoveryCodes(tx: StoreInTransaction, user: Account): Promise<string[]> {
  const codes = newRecoveryCodes();
  await tx.factors.replaceRecoveryCodes(user.id, codes.map(hashRecoveryCode));
  await record(tx, { action: "update", target: userAuditTarget(user), secrets: ["recoveryCodes"] });
  return codes;
}

const namesOf = (factors: readonly StoredFactor[]) => factors.map(({ name }) => name);

export const recordFactors = (
  tx: StoreInTransaction,
  user: Account,
  before: readonly StoredFactor[],
  after: readonly StoredFactor[],
): Promise<void> =>
  record(tx, {
    action: "update",
    target: userAuditTarget(user),
    before: { factors: namesOf(before) },
    after: { factors: namesOf(after) },
  });

/** For a correct code of a time step outside the tolerance. */
export const wrongClock =
  "The code is for a different time: the clock of your device or the server is probably wrong" satisfies Message;

export const digitsOf = (code: string): string => code.replaceAll(" ", "");

function refused(path: string, message: Message): AppError {
  return new AppError("impossible", message, { details: [{ path, message }] });
}
