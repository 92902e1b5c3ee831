import { listEdits, listEntries, pageEntries, recordExport } from "./audit/audit.ts";
import { createKey, deleteKey, listKeys, markKeysUsed, rotateKey, updateKey } from "./keys/keys.ts";
import { createServiceAccount, deleteServiceAccount, listServiceAccounts } from "./keys/service-accounts.ts";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Call, Handlers } from "@sonde/kit/bus/rpc";
import type { authContract } from "@sonde/proto/rpc/auth";
import type { auditContract } from "@sonde/proto/rpc/audit";
import type { factorsContract } from "@sonde/proto/rpc/factors";
import type { FactorDemand } from "@sonde/proto/http/factors";
import type { invitesContract } from "@sonde/proto/rpc/invites";
import type { keysContract } from "@sonde/proto/rpc/keys";
import type { signInContract } from "@sonde/proto/rpc/sign-in";
import type { Context, Deps } from "./context.ts";
import { addFactor, endOtherSessions, listFactors, removeFactor, resetFactors } from "./factors/factors.ts";
import { beginPasskey, enroll, useFactor } from "./factors/sign-in.ts";
import { acceptInvite, checkInvite, createInvite, deleteInvite, listInvites } from "./invites/invites.ts";
import { endSession, listSessions, logout, type OpenedSession, resolveSession } from "./sessions/sessions.ts";
import { login } from "./sessions/login.ts";
import { sessionFields } from "./sessions/bucket.ts";
import { changePassword, createUser, deleteUser, getUser, listUsers, people, updateUser } from "./users/users.ts";
import { register, registrationState } from "./users/register.ts";
import { presentUser } from "./users/store.ts";
import { listViews, saveViews } from "./views/views.ts";
import { endByProvider } from "./oidc/backchannel.ts";
import { exchangeSignIn, finishSignIn, startSignIn } from "./oidc/flow.ts";
import { createProvider, deleteProvider, listProviders, updateProvider } from "./oidc/providers.ts";
import { testProvider } from "./oidc/report.ts";

const nothing = () => ({});

const handlersOf =
  (deps: Deps) =>
  <Input, Output, Answer>(
    verb: (ctx: Context, input: Input) => Promise<Output>,
    answer: (output: Output) => Answer,
  ): ((input: Input, call: Call) => Promise<Answer>) =>
  async (input, { actor, signal }) =>
    answer(await orUnavailable(() => verb({ ...deps, signal, actor }, input)));

export function endpoints(deps: Deps): Handlers<typeof authContract> {
  const on = handlersOf(deps);
  return {
    register: on(register, presentUser),
    login: on(login, presentLogin),
    logout: on(logout, nothing),
    listSessions: on(listSessions, (sessions) => sessions),
    endSession: on(endSession, nothing),
    resolveSession: on(resolveSession, sessionFields),
    registrationState: on(registrationState, (state) => state),
    listUsers: on(listUsers, ({ users, total }) => ({ users: users.map(presentUser), total })),
    getUser: on(getUser, presentUser),
    people: on(people, (found) => ({ people: found.map(presentUser) })),
    createUser: on(createUser, presentUser),
    updateUser: on(updateUser, presentUser),
    deleteUser: on(deleteUser, nothing),
    changePassword: on(changePassword, nothing),
    listViews: on(listViews, (views) => views),
    saveViews: on(saveViews, (views) => views),
  };
}

const presentSession = ({ token, user }: OpenedSession) => ({ token, user: presentUser(user) });
const presentLogin = (outcome: OpenedSession | { factor: FactorDemand }) =>
  "factor" in outcome ? outcome : presentSession(outcome);

export function inviteEndpoints(deps: Deps): Handlers<typeof invitesContract> {
  const on = handlersOf(deps);
  return {
    createInvite: on(createInvite, (made) => made),
    listInvites: on(listInvites, (found) => found),
    deleteInvite: on(deleteInvite, nothing),
    checkInvite: on(checkInvite, (found) => found),
    acceptInvite: on(acceptInvite, presentLogin),
  };
}

export function factorEndpoints(deps: Deps): Handlers<typeof factorsContract> {
  const on = handlersOf(deps);
  return {
    beginPasskey: on(beginPasskey, (begun) => begun),
    useFactor: on(useFactor, ({ recoveryCodes, ...opened }) => ({ ...presentSession(opened), recoveryCodes })),
    enroll: on(enroll, (begun) => begun),
    listFactors: on(listFactors, (found) => found),
    addFactor: on(addFactor, (added) => added),
    removeFactor: on(removeFactor, nothing),
    resetFactors: on(resetFactors, nothing),
    endOtherSessions: on(endOtherSessions, nothing),
  };
}

export function signInEndpoints(deps: Deps): Handlers<typeof signInContract> {
  const on = handlersOf(deps);
  return {
    listProviders: on(listProviders, (list) => list),
    createProvider: on(createProvider, (provider) => provider),
    updateProvider: on(updateProvider, (provider) => provider),
    deleteProvider: on(deleteProvider, nothing),
    testProvider: on(testProvider, (report) => report),
    startSignIn: on(startSignIn, (begun) => begun),
    finishSignIn: on(finishSignIn, (finished) => finished),
    exchangeSignIn: on(exchangeSignIn, ({ next, ...opened }) => ({ ...presentSession(opened), next })),
    endByProvider: on(endByProvider, nothing),
  };
}

export function auditEndpoints(deps: Deps): Handlers<typeof auditContract> {
  const on = handlersOf(deps);
  return {
    listEntries: on(listEntries, (found) => found),
    pageEntries: on(pageEntries, (found) => found),
    listEdits: on(listEdits, (edits) => ({ edits })),
    recordExport: on(recordExport, nothing),
  };
}

export function keyEndpoints(deps: Deps): Handlers<typeof keysContract> {
  const on = handlersOf(deps);
  return {
    listKeys: on(listKeys, (keys) => ({ keys })),
    createKey: on(createKey, (made) => made),
    updateKey: on(updateKey, (key) => key),
    deleteKey: on(deleteKey, nothing),
    rotateKey: on(rotateKey, (made) => made),
    markKeysUsed: on(markKeysUsed, nothing),
    listServiceAccounts: on(listServiceAccounts, (accounts) => ({ accounts })),
    createServiceAccount: on(createServiceAccount, (account) => account),
    deleteServiceAccount: on(deleteServiceAccount, nothing),
  };
}
