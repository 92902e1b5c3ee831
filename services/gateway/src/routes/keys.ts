import {
  createKeyInput,
  createServiceAccountInput,
  keyAnswer,
  keysAnswer,
  keysQuery,
  maxKeyDays,
  maxKeys,
  newKeyAnswer,
  rotateKeyInput,
  serviceAccountAnswer,
  serviceAccountsAnswer,
  updateKeyInput,
} from "@sonde/proto/http/keys";
import { command, route } from "../route.ts";
import { requestsAMinute } from "../sessions/key-use.ts";

const params = { id: "API key does not exist" } as const;

export const keyRoutes = [
  route("GET /api/keys", "session", {
    summary: "The own API keys, the newest first; of all accounts for an admin",
    query: keysQuery,
    refusals: ["forbidden"],
    answer: keysAnswer,
    handle: ({ services, query: { all }, ask }) => services.keys.listKeys({ all: all === "true" }, ask),
  }),
  route("POST /api/keys", "session", {
    summary: "Create an API key; its secret is answered this once",
    description: `It may do what its scopes and its owner's role both allow at that moment, ${requestsAMinute} times a minute (else 429), for at most ${maxKeyDays} days; only an administrator's may live for ever. An account has at most ${maxKeys}, else 422. They end with the account.`,
    body: createKeyInput,
    refusals: ["forbidden"],
    status: 201,
    answer: newKeyAnswer,
    settles: true,
    message: "API key created",
    handle: ({ services, body, ask }) => services.keys.createKey(body, ask),
  }),
  route("PUT /api/keys/:id", "session", {
    summary: "Change an API key's name, networks, or bring its expiry forward; others' only as an admin",
    params,
    body: updateKeyInput,
    answer: keyAnswer,
    settles: true,
    message: "API key updated",
    handle: async ({ services, params: { id }, body, ask }) => ({
      key: await services.keys.updateKey({ id, ...body }, ask),
    }),
  }),
  command("DELETE /api/keys/:id", "session", {
    summary: "Revoke an API key; others' only as an admin",
    params,
    settles: true,
    message: "API key deleted",
    handle: ({ services, params: { id }, ask }) => services.keys.deleteKey({ id }, ask),
  }),
  route("POST /api/keys/:id/rotate", "session", {
    summary: "Give an API key another secret; the one of before works for some more minutes",
    params,
    body: rotateKeyInput,
    answer: newKeyAnswer,
    settles: true,
    message: "API key updated",
    handle: ({ services, params: { id }, body, ask }) => services.keys.rotateKey({ id, ...body }, ask),
  }),
  route("GET /api/service-accounts", "admin", {
    summary: "Accounts for keys alone, which no one logs in to",
    answer: serviceAccountsAnswer,
    handle: ({ services, ask }) => services.keys.listServiceAccounts({}, ask),
  }),
  route("POST /api/service-accounts", "admin", {
    summary: "Create a service account; its keys outlive people",
    body: createServiceAccountInput,
    status: 201,
    answer: serviceAccountAnswer,
    message: "Service account created",
    handle: async ({ services, body, ask }) => ({ account: await services.keys.createServiceAccount(body, ask) }),
  }),
  command("DELETE /api/service-accounts/:id", "admin", {
    summary: "Delete a service account; its keys no longer work",
    params: { id: "Service account does not exist" },
    settles: true,
    message: "Service account deleted",
    handle: ({ services, params: { id }, ask }) => services.keys.deleteServiceAccount({ id }, ask),
  }),
];
