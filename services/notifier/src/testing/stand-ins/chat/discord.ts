import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const path = "/api/webhooks/123456789012345678/Webhook_Token-0";
const error = (status: number, code: number, message: string) => ({ status, body: { message, code } });

export function start(options?: StandInOptions) {
  let lastId = 1_400_000_000_000_000_000n;
  return startHttpStandIn(
    {
      type: "discord",
      config: (url) => ({ webhookUrl: `${url}${path}` }),
      answer(request, accept) {
        if (request.path.split("?")[0] !== path) return named.unknown_webhook;
        if (!isMessage(request.json)) return error(400, 50_035, "Invalid Form Body");
        accept();
        lastId += 1n;
        if (request.query.get("wait") !== "true") return { status: 204 };
        return {
          status: 200,
          body: { id: String(lastId), type: 0, channel_id: "1", webhook_id: "123456789012345678" },
        };
      },
      throttle: {
        status: 429,
        headers: { "retry-after": "2", "x-ratelimit-limit": "5", "x-ratelimit-reset-after": "1.337" },
        body: { message: "You are being rate limited.", retry_after: 1.337, global: false },
      },
      named,
      limits: [{ key: (request) => request.path, requests: 5, perMs: 2000 }],
    },
    options,
  );
}

const named = {
  unknown_webhook: error(404, 10_015, "Unknown Webhook"),
  invalid_token: error(401, 50_027, "Invalid Webhook Token"),
  forum_without_thread: error(400, 220_001, "Webhooks posted to forum channels must have a thread_name or thread_id"),
  invalid_body: error(400, 50_035, "Invalid Form Body"),
  cloudflare: { status: 429, headers: { "retry-after": "600" }, body: "<html>error code: 1015</html>" },
};

type Embed = {
  title?: string;
  description?: string;
  footer?: { text?: string };
  fields?: { name: string; value: string }[];
};

/** Checks Discord's limits: 2,000 characters of content, 10 embeds, each of their parts, 6,000 in total. */
function isMessage(json: unknown): boolean {
  const { content = "", embeds = [] } = (json ?? {}) as { content?: string; embeds?: Embed[] };
  if (content.length > 2000 || embeds.length > 10 || (content === "" && embeds.length === 0)) return false;
  const parts = embeds.flatMap(({ title = "", description = "", footer, fields = [] }) => [
    [title, 256] as const,
    [description, 4096] as const,
    [footer?.text ?? "", 2048] as const,
    ...fields.slice(0, 26).flatMap(({ name, value }) => [[name, 256] as const, [value, 1024] as const]),
  ]);
  const total = parts.reduce((sum, [text]) => sum + text.length, 0);
  return total <= 6000 && parts.every(([text, max]) => text.length <= max);
}
