import * as z from "zod";
import {
  addFactorAnswer,
  addFactorInput,
  begunFactor,
  enrollInput,
  factorAnswer,
  factorInput,
  factorsAnswer,
  passkeyAnswer,
  passwordAgain,
} from "../http/factors.ts";
import { id } from "../http/envelope.ts";
import { contract, nothing } from "./contract.ts";

/** Where people open Sonde, if passkeys can be bound to it. */
const origin = z.string().optional();
const address = z.string();
/** The hex SHA-256 of the caller's own token. */
const tokenHash = z.string();

/** Second factors, of auth. */
export const factorsContract = contract("factors", {
  beginPasskey: {
    input: z.object({ address, origin }),
    answer: passkeyAnswer.pick({ ticket: true, expiresAt: true, passkey: true }),
  },
  useFactor: {
    input: z.object({ given: factorInput, address, origin, client: z.string().optional() }),
    answer: factorAnswer.pick({ token: true, user: true, recoveryCodes: true }),
  },
  enroll: { input: enrollInput.extend({ address, origin }), answer: begunFactor },
  listFactors: {
    input: z.object({ origin }),
    answer: factorsAnswer.omit({ success: true, message: true }),
  },
  addFactor: {
    input: addFactorInput.extend({ tokenHash, origin }),
    answer: addFactorAnswer.omit({ success: true, message: true }),
  },
  // not_found: the caller has no such factor
  removeFactor: { input: passwordAgain.extend({ id, tokenHash }), answer: nothing },
  // Of another user, by an admin.
  resetFactors: { input: z.object({ id }), answer: nothing },
  endOtherSessions: { input: passwordAgain.extend({ tokenHash }), answer: nothing },
});
