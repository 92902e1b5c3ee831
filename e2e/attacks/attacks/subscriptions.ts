import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { apiOf } from "@sonde/testing/api";
import { countResponses } from "../responses.ts";
import type { Attack } from "../attack.ts";

const addresses = 20;
const requestsOfEach = 10;

/** Twenty addresses subscribe variants of one mailbox, then another address subscribes its own. */
export const subscriptions: Attack = async ({ url, token }) => {
  const api = apiOf(url, token);
  const { channel } = await api.send<{ channel: { id: number } }>("POST", "/api/notifications/channels", {
    name: "Mail",
    type: "resend",
    config: { apiKey: "re_none", from: "status@example.com", to: "ops@example.com", apiBaseUrl: url },
  });
  await api.send("PUT", "/api/status/config", { subscriptions: { enabled: true, channelId: channel.id } });
  const { hostname, port } = new URL(url);
  const ask = async (localAddress: string, email: string): Promise<number> => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = request({ hostname, port, localAddress, method: "POST", path: "/status/subscribe", headers });
    sent.end(new URLSearchParams({ email }).toString());
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    return answered.then(
      ([response]) => (response.resume(), response.statusCode ?? 0),
      () => 0,
    );
  };
  const responses = countResponses();
  const requests = Array.from({ length: addresses * requestsOfEach }, (_, n) => n);
  await Promise.all(
    requests.map(async (n) => responses.add(await ask(`127.0.1.${(n % addresses) + 1}`, `victim+${n}@example.com`))),
  );
  const other = await ask("127.0.2.1", "reader@example.com");
  const { total } = await api.get<{ total: number }>("/api/status/subscribers");
  return {
    responses: `${responses.text()}; then another address: ${other}; ${total} subscribers`,
    passed: other === 200 && total === 2,
  };
};
