import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { failed, type Terminal } from "./terminal.ts";

export type Address = { url: string; key: string };
const stored = z.object({ url: z.string(), key: z.string() });

export const loginFile = (env: NodeJS.ProcessEnv) =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "sonde/login.json");

/** `undefined` without a login. @throws Ending if the file cannot be read */
export function storedLogin(env: NodeJS.ProcessEnv): Address | undefined {
  const file = loginFile(env);
  try {
    return stored.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw failed(`${file} cannot be read; run sonde login`);
  }
}

/** Removes trailing slashes. @throws Ending if the address is invalid */
export function parseServerAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw failed(`"${text}" is not an address such as https://sonde.example.com`);
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw failed("The address of Sonde cannot contain a password, query or fragment");
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Uses SONDE_URL and SONDE_KEY, or the stored login, whose key is used only for its own address. @throws Ending */
export function addressFrom({ env }: Pick<Terminal, "env">): Address {
  const stored = storedLogin(env);
  const given = env.SONDE_URL ? parseServerAddress(env.SONDE_URL) : stored?.url;
  if (given === undefined) throw failed("No address is set: set SONDE_URL and SONDE_KEY, or run sonde login");
  const key = env.SONDE_KEY?.trim() || (stored?.url === given ? stored.key : undefined);
  if (key === undefined) throw failed(`No key for ${given}: set SONDE_KEY, or run sonde login`);
  return { url: given, key };
}
