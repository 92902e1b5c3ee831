import { secretMask } from "@sonde/proto/http/secrets";
import { createProviderInput } from "@sonde/proto/http/sign-in";
import { hashToken } from "../sessions/sessions.ts";
import { clientId, clientSecret, startProvider } from "./provider.ts";
import { freshAddress, join, startAuth } from "./service.ts";

export const origin = "http://localhost:8080";
export const callback = `${origin}/api/auth/oidc/main/callback`;
const key = Buffer.alloc(32, 7).toString("base64");

export type Person = { sub: string; claims: Record<string, unknown> };
export type SignInBed = Awaited<ReturnType<typeof openSignIn>>;

/** auth with an administrator and a provider, and the steps of a sign-in. */
export async function openSignIn() {
  const provider = await startProvider([callback]);
  const service = await startAuth({ SONDE_KEY_SIGNIN: key });
  const admin = await join(service, "boss");
  let personCount = 0;

  const draft = (more: object = {}) => ({
    ...createProviderInput.parse({
      slug: "main",
      name: "Company",
      issuer: provider.issuer,
      clientId,
      clientSecret,
      roles: [
        { value: "ops", role: "admin" },
        { value: "dev", role: "user" },
        { value: "staff", role: "viewer" },
      ],
    }),
    ...more,
    origin,
  });
  const start = async (next?: string) => {
    const begun = await service.signIn.startSignIn({ slug: "main", origin, address: freshAddress(), next });
    if ("error" in begun) throw new Error(begun.error);
    return begun;
  };
  const finish = (flow: string | undefined, query: string, slug = "main") =>
    service.signIn.finishSignIn({ slug, query, flow, address: freshAddress() });
  const exchange = (code: string, flow: string | undefined) =>
    service.signIn.exchangeSignIn({ code, flow, address: freshAddress(), client: "browser" });
  const signIn = async (who: Person) => {
    provider.account = who;
    const { url, flow } = await start("/monitors?a=1");
    const back = await provider.visit(url);
    const finished = await finish(flow, back.search);
    if ("error" in finished) return finished;
    const opened = await exchange(finished.code, flow);
    return { ...opened, tokenHash: hashToken(opened.token) };
  };
  await service.signIn.createProvider(draft(), admin.actor);

  return {
    key,
    service,
    provider,
    admin,
    draft,
    start,
    finish,
    exchange,
    signIn,
    /** A sign-in that must succeed. */
    mustSignIn: async (who: Person) => {
      const opened = await signIn(who);
      if ("error" in opened) throw new Error(opened.error);
      return opened;
    },
    update: (more: object = {}) => {
      const { slug: _slug, ...rest } = draft({ clientSecret: secretMask, ...more });
      return service.signIn.updateProvider({ ...rest, slug: "main" }, admin.actor);
    },
    person: (groups: unknown = ["dev"], claims: object = {}): Person => {
      const sub = `sub-${++personCount}`;
      return { sub, claims: { preferred_username: `person${personCount}`, groups, ...claims } };
    },
    personCount: () => personCount,
    reset: () => {
      provider.tamper = null;
      provider.answers.clear();
      provider.refuse = false;
    },
    stop: async () => {
      await service.stop();
      await provider.stop();
    },
  };
}
