import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { inject } from "vitest";
import { admin, type Api, apiOf } from "@sonde/testing/api";
import { contextOptions, setLanguage, type Visit } from "@sonde/testing/browser";
import type { InstallationName, Shared } from "./installations.ts";

/** Values as the web app stores them. */
export type Session = { token: string; user: string };
export type Installation = { url: string; dataDir: string; api: Api; session: Session };

/** Returns a shared installation with its first admin logged in. Starts it if necessary. */
export async function useInstallation(name: InstallationName): Promise<Installation> {
  const response = await fetch(`${inject("sharedUrl")}/${name}`);
  if (!response.ok) throw new Error(await response.text());
  const { url, dataDir, token } = (await response.json()) as Shared;
  const api = apiOf(url, token);
  return { url, dataDir, api, session: await sessionOf(api, token) };
}

export async function sessionOf(api: Api, token: string): Promise<Session> {
  return { token, user: JSON.stringify((await api.get<{ user: unknown }>("/api/auth/me")).user) };
}

export type Account = { username: string; password: string; api: Api; session: Session };

export async function addAccount(
  { url, api }: Pick<Installation, "url" | "api">,
  username: string,
  role: "admin" | "user" | "viewer" = "admin",
): Promise<Account> {
  const { password } = admin;
  await api.send("POST", "/api/users", { username, password, role });
  const { token } = await apiOf(url).send<{ token: string }>("POST", "/api/auth/login", { username, password });
  const own = apiOf(url, token);
  return { username, password, api: own, session: await sessionOf(own, token) };
}

let chromiumOfRun: Promise<Browser> | undefined;

/** On a busy machine, some screens take more than the default of 30 seconds. */
const patienceMs = 100_000;

/** Opens an empty context of the shared Chromium. The context closes with the file at the latest. */
export async function openContext(visit: Visit = {}, session?: Session): Promise<BrowserContext> {
  const browser = await (chromiumOfRun ??= chromium.connect(inject("chromiumEndpoint")));
  const options = contextOptions(visit);
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" });
  context.setDefaultTimeout(patienceMs);
  await setLanguage(context, options.locale);
  if (session !== undefined) {
    await context.addInitScript((entries) => {
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
    }, session);
  }
  return context;
}

export const openPage = async (visit: Visit = {}, session?: Session): Promise<Page> =>
  (await openContext(visit, session)).newPage();
