import { AppError } from "@sonde/kit/errors";
import type { Handlers } from "@sonde/kit/bus/rpc";
import type { User } from "@sonde/proto/http/users";
import type { authContract } from "@sonde/proto/rpc/auth";
import type { factorsContract } from "@sonde/proto/rpc/factors";
import type { invitesContract } from "@sonde/proto/rpc/invites";
import { principals, sessionsByHash } from "./principals.ts";

const atMs = Date.UTC(2026, 0, 31, 12);
const at = new Date(atMs).toISOString();

const fakeInvite = { id: 1, role: "viewer", expiresAt: at, createdBy: "ada" } as const;

const fakeUser = (id: number): User => {
  const principal = Object.values(principals).find((candidate) => candidate.userId === id);
  if (principal === undefined) throw new AppError("not_found", "User does not exist");
  const { username, role } = principal;
  return { id, username, role, status: "active", createdAt: at };
};

export const authHandlers: Handlers<typeof authContract> = {
  register: async ({ username }) => ({ ...fakeUser(2), username }),
  login: async ({ password }) => {
    if (password !== "right") throw new AppError("unauthenticated", "Incorrect username or password");
    return { token: principals.user.token, user: fakeUser(2) };
  },
  logout: async () => ({}),
  listSessions: async () => ({
    sessions: [{ id: 1, expiresAt: new Date(atMs).toISOString(), address: "192.0.2.1", isCurrent: true }],
  }),
  endSession: async () => ({}),
  resolveSession: async ({ tokenHash: hash }) => {
    const session = sessionsByHash.get(hash);
    if (session === undefined) throw new AppError("not_found", "Please log in");
    const { userId, username, role, expiresAtMs } = session;
    return { userId, username, role, expiresAtMs, userCreatedAtMs: atMs };
  },
  registrationState: async () => ({ mode: "open", firstAccount: false, setupCodeRequired: false }),
  listUsers: async () => ({ users: [fakeUser(1), fakeUser(2)], total: 2 }),
  getUser: async ({ id }) => fakeUser(id),
  people: async ({ ids, names }) => ({
    people: [1, 2, 3]
      .map(fakeUser)
      .filter(({ id, username }) => ids?.includes(id) ?? names?.includes(username) ?? true),
  }),
  createUser: async ({ username, role }) => ({ ...fakeUser(2), username, role }),
  updateUser: async ({ id, username, status, role }) => ({
    ...fakeUser(id),
    username,
    ...(status === undefined ? {} : { status }),
    ...(role === undefined ? {} : { role }),
  }),
  deleteUser: async ({ id }) => (fakeUser(id), {}),
  changePassword: async () => ({}),
  listViews: async () => ({ views: [], shared: [] }),
  saveViews: async ({ views }) => ({ views, shared: [] }),
};

export const inviteHandlers: Handlers<typeof invitesContract> = {
  createInvite: async ({ role, site }) => ({ invite: { ...fakeInvite, role }, url: `${site}/invite#t` }),
  listInvites: async () => ({ invites: [fakeInvite], total: 1 }),
  deleteInvite: async () => ({}),
  checkInvite: async () => ({ role: "viewer", expiresAt: at }),
  acceptInvite: async () => ({ token: principals.user.token, user: fakeUser(2) }),
};

const begun = { ticket: "t", expiresAt: at, totp: { secret: "MFRGG", uri: "otpauth://totp/Sonde:ugo?secret=MFRGG" } };

export const factorHandlers: Handlers<typeof factorsContract> = {
  beginPasskey: async () => ({ ticket: "t", expiresAt: at, passkey: { challenge: "c" } }),
  useFactor: async () => ({ token: principals.user.token, user: fakeUser(2) }),
  enroll: async () => begun,
  listFactors: async () => ({ factors: [], recoveryCodes: 0, demanded: false, possible: ["totp"] }),
  addFactor: async () => begun,
  removeFactor: async () => ({}),
  resetFactors: async () => ({}),
  endOtherSessions: async () => ({}),
};
