import { type Api, apiOf } from "@sonde/testing/api";
import { testAccount } from "./values.ts";

export interface Admin {
  api: Api;
  token: string;
}

/** Logs in as the administrator of the scenarios; registers it with the setup code if it does not exist yet. */
export async function adminOf(url: string, setupCode: string): Promise<Admin> {
  const { username, password } = testAccount;
  const anyone = apiOf(url);
  const logIn = () => anyone.send<{ token: string }>("POST", "/api/auth/login", { username, password });
  const { token } = await logIn().catch(async (fault: Error) => {
    if (!fault.message.includes(": 401 ")) throw fault;
    await anyone.send("POST", "/api/auth/register", { username, password, setupCode });
    return logIn();
  });
  return { api: apiOf(url, token), token };
}
