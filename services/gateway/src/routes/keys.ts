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
    summary: "List your API keys, newest first; administrators can list all accounts' keys",
    query: keysQuery,
    refusals: ["forbidden"],
    answer: keysAnswer,
    handle: ({ services, query: { all }, ask }) => services.keys.listKeys({ all: all === "true" }, ask),
  }),
  route("POST /api/keys", "session", {
    summary: "Create an API key; its secret is only returned here",
    description: `A key can do what both its scopes and its owner's current role allow, at most ${requestsAMinute} requests per minute (otherwise 429), for at most ${maxKeyDays} days; only administrators can create keys that never expire. An account can have at most ${maxKeys} keys, otherwise 422. Keys end with their account.`,
    body: createKeyInput,
    refusals: ["forbidden"],
    status: 201,
    answer: newKeyAnswer,
    settles: true,
    message: "API key created",
    handle: ({ services, body, ask }) => services.keys.createKey(body, ask),
  }),
  route("PUT /api/keys/:id", "session", {
    summary:
      "Change an API key's name or networks, or move its expiry earlier; other users' keys only as an administrator",
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
    summary: "Revoke an API key; other users' keys only as an administrator",
    params,
    settles: true,
    message: "API key deleted",
    handle: ({ services, params: { id }, ask }) => services.keys.deleteKey({ id }, ask),
  }),
  route("POST /api/keys/:id/rotate", "session", {
    summary: "Replace an API key's secret; the previous one keeps working for some minutes",
    params,
    body: rotateKeyInput,
    answer: newKeyAnswer,
    settles: true,
    message: "API key updated",
    handle: ({ services, params: { id }, body, ask }) => services.keys.rotateKey({ id, ...body }, ask),
  }),
  route("GET /api/service-accounts", "admin", {
    summary: "List service accounts, which have API keys but no login",
    answer: serviceAccountsAnswer,
    handle: ({ services, ask }) => services.keys.listServiceAccounts({}, ask),
  }),
  route("POST /api/service-accounts", "admin", {
    summary: "Create a service account; its keys don't depend on a user's account",
    body: createServiceAccountInput,
    status: 201,
    answer: serviceAccountAnswer,
    message: "Service account created",
    handle: async ({ services, body, ask }) => ({ account: await services.keys.createServiceAccount(body, ask) }),
  }),
  command("DELETE /api/service-accounts/:id", "admin", {
    summary: "Delete a service account; its keys stop working",
    params: { id: "Service account does not exist" },
    settles: true,
    message: "Service account deleted",
    handle: ({ services, params: { id }, ask }) => services.keys.deleteServiceAccount({ id }, ask),
  }),
];
