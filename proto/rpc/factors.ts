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

/** Address of Sonde, if passkeys can be bound to it. */
const origin = z.string().optional();
const address = z.string();
/** Hex SHA-256 of the caller's token. */
const tokenHash = z.string();

/** Second factors, owned by auth. */
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
  // not_found: the factor is not the caller's
  removeFactor: { input: passwordAgain.extend({ id, tokenHash }), answer: nothing },
  // For administrators, on other users.
  resetFactors: { input: z.object({ id }), answer: nothing },
  endOtherSessions: { input: passwordAgain.extend({ tokenHash }), answer: nothing },
});
