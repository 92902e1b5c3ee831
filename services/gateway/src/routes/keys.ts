import { messageAnswer } from "@sonde/proto/http/auth";
import {
  createKeyInput,
  createServiceAccountInput,
  keyAnswer,
  keysAnswer,
  keysQuery,
  longestKeyDays,
  mostKeys,
  newKeyAnswer,
  rotateKeyInput,
  serviceAccountAnswer,
  serviceAccountsAnswer,
  updateKeyInput,
} from "@sonde/proto/http/keys";
import { route } from "../route.ts";
import { requestsAMinute } from "../sessions/key-use.ts";

const params = { id: "API key does not exist" } as const;

export const keyRoutes = [
  route({
    method: "GET",
    path: "/api/keys",
    who: "session",
    summary: "The own API keys, the newest first; of all accounts for an admin",
    query: keysQuery,
    refusals: ["forbidden"],
    answer: keysAnswer,
    handle: ({ services, query: { all }, ask }) => services.keys.listKeys({ all: all === "true" }, ask),
  }),
  route({
    method: "POST",
    path: "/api/keys",
    who: "session",
    summary: "Create an API key; its secret is answered this once",
    description: `It may do what its scopes and its owner's role both allow at that moment, ${requestsAMinute} times a minute (else 429), for at most ${longestKeyDays} days; only an administrator's may live for ever. An account has at most ${mostKeys}, else 422. They end with the account.`,
    body: createKeyInput,
    refusals: ["forbidden"],
    status: 201,
    answer: newKeyAnswer,
    handle: async ({ services, sessions, body, ask }) => {
      const made = await services.keys.createKey(body, ask);
      await sessions.settle();
      return { message: "API key created", ...made };
    },
  }),
  route({
    method: "PUT",
    path: "/api/keys/:id",
    who: "session",
    summary: "Change an API key's name, networks, or bring its expiry forward; others' only as an admin",
    params,
    body: updateKeyInput,
    answer: keyAnswer,
    handle: async ({ services, sessions, params: { id }, body, ask }) => {
      const key = await services.keys.updateKey({ id, ...body }, ask);
      await sessions.settle();
      return { message: "API key updated", key };
    },
  }),
  route({
    method: "DELETE",
    path: "/api/keys/:id",
    who: "session",
    summary: "Revoke an API key; others' only as an admin",
    params,
    answer: messageAnswer,
    handle: async ({ services, sessions, params: { id }, ask }) => {
      await services.keys.deleteKey({ id }, ask);
      await sessions.settle();
      return { message: "API key deleted" };
    },
  }),
  route({
    method: "POST",
    path: "/api/keys/:id/rotate",
    who: "session",
    summary: "Give an API key another secret; the one of before works for some more minutes",
    params,
    body: rotateKeyInput,
    answer: newKeyAnswer,
    handle: async ({ services, sessions, params: { id }, body, ask }) => {
      const made = await services.keys.rotateKey({ id, ...body }, ask);
      await sessions.settle();
      return { message: "API key updated", ...made };
    },
  }),
  route({
    method: "GET",
    path: "/api/service-accounts",
    who: "admin",
    summary: "Accounts for keys alone, which no one logs in to",
    answer: serviceAccountsAnswer,
    handle: ({ services, ask }) => services.keys.listServiceAccounts({}, ask),
  }),
  route({
    method: "POST",
    path: "/api/service-accounts",
    who: "admin",
    summary: "Create a service account; its keys outlive people",
    body: createServiceAccountInput,
    status: 201,
    answer: serviceAccountAnswer,
    handle: async ({ services, body, ask }) => ({
      message: "Service account created",
      account: await services.keys.createServiceAccount(body, ask),
    }),
  }),
  route({
    method: "DELETE",
    path: "/api/service-accounts/:id",
    who: "admin",
    summary: "Delete a service account; its keys no longer work",
    params: { id: "Service account does not exist" },
    answer: messageAnswer,
    handle: async ({ services, sessions, params: { id }, ask }) => {
      await services.keys.deleteServiceAccount({ id }, ask);
      await sessions.settle();
      return { message: "Service account deleted" };
    },
  }),
];
