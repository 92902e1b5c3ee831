import { apiOf } from "@sonde/testing/api";
import type { Attacked } from "./attack.ts";

export async function registerHostileAgent({ url, token }: Attacked): Promise<string> {
  const { token: once } = await apiOf(url, token).send<{ token: string }>("POST", "/api/agents/tokens", {});
  const host = { hostname: "hostile", ipAddresses: [], os: "x", version: "x", interval: 10 };
  const registration = { token: once, ...host };
  return (await apiOf(url).send<{ key: string }>("POST", "/agent/v1/register", registration)).key;
}
