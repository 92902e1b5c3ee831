import type { Context } from "../context.ts";
import { isOwnOrigin } from "../middleware/host.ts";
import { rawRoute } from "../route.ts";
import { mcpPath } from "../sessions/scopes.ts";
import { type Answer, answerMessage, request } from "./protocol.ts";

const limits = { maxBytes: 64 * 1024, deadlineMs: 15_000 };

export const mcpRoutes = [
  rawRoute(`POST ${mcpPath}`, "session", {
    summary: "Tools for Model Context Protocol clients",
    description:
      "Streamable HTTP without sessions or streams (modelcontextprotocol.io). Each POST contains one JSON-RPC message of at most 64 KiB; notifications return 202. `tools/list` returns the tools that the key's scopes and its owner's role allow.",
    body: request,
    limits,
    media: "application/json",
    handle: async ({ body, ...input }) => {
      const { ctx, config } = input;
      if (!isOwnOrigin(ctx.req.headers, config.publicUrl)) {
        return send(ctx, { status: 403, error: { code: -32600, message: "Requests of other sites are not accepted" } });
      }
      send(ctx, await answerMessage(body, input));
    },
  }),
];

function send(ctx: Context, { status = 200, id, ...answer }: Answer): void {
  ctx.status = status;
  ctx.set("Cache-Control", "no-store");
  if (status === 202) return void (ctx.body = "");
  ctx.set("Content-Type", "application/json; charset=utf-8");
  ctx.body = JSON.stringify({ jsonrpc: "2.0", id: id ?? null, ...answer });
}
