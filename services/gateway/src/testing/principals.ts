import type { Role } from "@sonde/proto/http/users";
import { tokenHash } from "../sessions/sessions.ts";

export type Principal = { userId: number; username: string; role: Role; token: string };

export const principals = {
  admin: { userId: 1, username: "ada", role: "admin", token: "token-of-the-administrator-ada" },
  user: { userId: 2, username: "ugo", role: "user", token: "token-of-the-ordinary-user-ugo" },
  viewer: { userId: 3, username: "vera", role: "viewer", token: "token-of-the-viewer-called-vera" },
} as const satisfies Record<string, Principal>;

const year3000 = Date.UTC(3000, 0);

export const sessionsByHash = new Map(
  Object.values(principals).map(({ token, ...account }) => [
    tokenHash(token),
    {
      ...account,
      hash: tokenHash(token),
      email: undefined,
      expiresAtMs: year3000,
      userCreatedAt: "2026-01-01T00:00:00.000Z",
    },
  ]),
);
