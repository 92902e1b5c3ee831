import * as z from "zod";
import { id } from "../http/envelope.ts";
import {
  createKeyInput,
  createServiceAccountInput,
  keyAnswer,
  keysAnswer,
  newKeyAnswer,
  rotateKeyInput,
  serviceAccountAnswer,
  serviceAccountsAnswer,
  updateKeyInput,
} from "../http/keys.ts";
import { contract, nothing } from "./contract.ts";

const withId = z.object({ id });

/**
 * API keys and service accounts, owned by auth. Methods that change a key respond after the bucket `sessions` has
 * acknowledged the change.
 */
export const keysContract = contract("keys", {
  listKeys: { input: z.object({ all: z.boolean().optional() }), answer: keysAnswer.pick({ keys: true }) },
  createKey: { input: createKeyInput, answer: newKeyAnswer.pick({ key: true, secret: true }) },
  updateKey: { input: updateKeyInput.extend({ id }), answer: keyAnswer.shape.key },
  deleteKey: { input: withId, answer: nothing },
  rotateKey: { input: rotateKeyInput.extend({ id }), answer: newKeyAnswer.pick({ key: true, secret: true }) },
  // Key usage seen by gateways within a minute.
  markKeysUsed: {
    input: z.object({ uses: z.array(z.object({ id, atMs: z.number(), address: z.string() })) }),
    answer: nothing,
  },
  listServiceAccounts: { input: nothing, answer: serviceAccountsAnswer.pick({ accounts: true }) },
  createServiceAccount: { input: createServiceAccountInput, answer: serviceAccountAnswer.shape.account },
  deleteServiceAccount: { input: withId, answer: nothing },
});
