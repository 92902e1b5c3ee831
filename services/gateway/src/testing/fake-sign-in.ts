import type { Handlers } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { SignInProvider } from "@sonde/proto/http/sign-in";
import type { signInContract } from "@sonde/proto/rpc/sign-in";

const provider: SignInProvider = {
  slug: "7",
  name: "Company",
  issuer: "https://id.example.com",
  clientId: "sonde",
  scopes: ["openid"],
  roleClaim: "$.groups",
  roles: [],
  otherwise: "none",
  linkByMail: false,
  isReadOnly: false,
  redirectUri: "http://localhost/api/auth/oidc/7/callback",
  logoutUri: "http://localhost/api/auth/oidc/7/logout",
};
const at = "2026-11-20T00:00:00.000Z";

export const signInHandlers: Handlers<typeof signInContract> = {
  listProviders: async () => ({ providers: [provider], passwords: "on" }),
  createProvider: async () => provider,
  updateProvider: async () => provider,
  deleteProvider: async () => ({}),
  testProvider: async () => ({
    discovery: { isOk: true },
    keys: { isOk: true },
    clock: { isOk: true, differenceSeconds: 0 },
    backchannelLogout: true,
  }),
  startSignIn: async ({ slug }) =>
    slug === "away" ? { error: "provider-away" } : { url: "https://id.example.com/auth?state=s", flow: "f".repeat(43) },
  finishSignIn: async ({ flow }) => (flow === undefined ? { error: "expired" } : { code: "c".repeat(43) }),
  exchangeSignIn: async () => ({
    token: "token-of-someone-who-came-by-a-provider",
    user: { id: 2, username: "ugo", role: "user", status: "active", createdAt: at },
    next: "/monitors",
  }),
  endByProvider: async ({ logoutToken }) => {
    if (logoutToken !== "good") throw new AppError("invalid", "The logout token is not valid");
    return {};
  },
};
