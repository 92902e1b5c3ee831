import { type Api, apiOf } from "@sonde/testing/api";
import { testAccount } from "./values.ts";

export interface Admin {
  api: Api;
  token: string;
}

/** Logs in as the scenarios' administrator, which it registers with the setup code if necessary. */
export async function adminOf(url: string, setupCode: string): Promise<Admin> {
  const { username, password } = testAccount;
  const anyone = apiOf(url);
  const logIn = () => anyone.send<{ token: string }>("POST", "/api/auth/login", { username, password });
  const { token } = await logIn().catch(async (error: Error) => {
    if (!error.message.includes(": 401 ")) throw error;
    await anyone.send("POST", "/api/auth/register", { username, password, setupCode });
    return logIn();
  });
  return { api: apiOf(url, token), token };
}
