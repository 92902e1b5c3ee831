import { parseTelegramHtml } from "../telegram-html.ts";
import { startHttpStandIn, type StandInOptions } from "./stand-in.ts";

const botToken = "123456789:AAabcdefghijklmnopqrstuvwxyz0123456";
const chatId = "-1001234567890";
const error = (status: number, description: string, parameters?: object) => ({
  status,
  body: { ok: false, error_code: status, description, parameters },
});

export function start(options?: StandInOptions) {
  let lastId = 0;
  return startHttpStandIn(
    {
      type: "telegram",
      config: (apiBaseUrl) => ({ botToken, chatId, apiBaseUrl }),
      answer({ method, path, json }, accept) {
        if (!path.startsWith(`/bot${botToken}/`)) return named.unauthorized;
        if (method !== "POST" || !path.endsWith("/sendMessage")) return error(404, "Not Found");
        const { chat_id: chat, text, parse_mode: mode } = (json ?? {}) as Record<string, unknown>;
        if (String(chat) !== chatId && String(chat) !== migratedTo) return named.chat_not_found;
        if (typeof text !== "string" || text.trim() === "") return error(400, "Bad Request: message text is empty");
        const parsed = mode === "HTML" ? parseTelegramHtml(text) : { text };
        if (parsed === undefined) return error(400, "Bad Request: can't parse entities");
        if (parsed.text.length > 4096) return error(400, "Bad Request: message is too long");
        accept();
        const chatOf = { id: Number(chat), type: "supergroup" };
        return { status: 200, body: { ok: true, result: { message_id: ++lastId, chat: chatOf, text: parsed.text } } };
      },
      throttle: error(429, "Too Many Requests: retry after 7", { retry_after: 7 }),
      named,
      limits: [
        { key: ({ path }) => path, requests: 30, perMs: 1000 },
        { key: ({ json }) => String((json as { chat_id?: unknown }).chat_id), requests: 1, perMs: 1000 },
        { key: ({ json }) => String((json as { chat_id?: unknown }).chat_id), requests: 20, perMs: 60_000 },
      ],
    },
    options,
  );
}

/** The supergroup that the group becomes in the response `migrated`. */
export const migratedTo = "-1009999999999";

const named = {
  unauthorized: error(401, "Unauthorized"),
  blocked: error(403, "Forbidden: bot was kicked from the supergroup chat"),
  chat_not_found: error(400, "Bad Request: chat not found"),
  bad_entities: error(400, 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0'),
  migrated: error(400, "Bad Request: group chat was upgraded to a supergroup chat", {
    migrate_to_chat_id: Number(migratedTo),
  }),
  refused_in_200: {
    status: 200,
    body: { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" },
  },
};
