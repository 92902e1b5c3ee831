import { startHttpStandIn, type StandInOptions } from "../stand-in.ts";

const path = "/services/T0000/B0000/abcdefghijkl";
const text = (status: number, body: string) => ({ status, body });

export function start(options?: StandInOptions) {
  return startHttpStandIn(
    {
      type: "slack",
      config: (url) => ({ webhookUrl: `${url}${path}` }),
      answer(request, accept) {
        if (request.path !== path) return named.no_service;
        const { text: fallback, blocks } = (request.json ?? {}) as { text?: unknown; blocks?: unknown };
        if (request.json === undefined) return named.invalid_payload;
        if (typeof fallback !== "string" || fallback === "") return text(400, "no_text");
        if (blocks !== undefined && !areBlocks(blocks)) return text(400, "invalid_blocks");
        accept();
        return text(200, "ok");
      },
      throttle: { status: 429, headers: { "retry-after": "1" }, body: "rate_limited" },
      named,
      limits: [{ key: (request) => request.path, requests: 1, perMs: 1000 }],
    },
    options,
  );
}

const named = {
  invalid_payload: text(400, "invalid_payload"),
  action_prohibited: text(403, "action_prohibited"),
  no_service: text(404, "no_service"),
  channel_not_found: text(404, "channel_not_found"),
  channel_is_archived: text(410, "channel_is_archived"),
  rollup_error: text(500, "rollup_error"),
  refused_in_200: text(200, "invalid_token"),
};

type Text = { type?: string; text?: string };
type Block = { type?: string; text?: Text; fields?: Text[]; elements?: (Text & { elements?: Text[] })[] };

/** Checks Block Kit limits: 50 blocks, headers of 150, sections of 3,000, 10 fields of 2,000, 13,200 in total. */
function areBlocks(blocks: unknown): boolean {
  if (!Array.isArray(blocks) || blocks.length > 50 || JSON.stringify(blocks).length > 26_000) return false;
  let total = 0;
  const isText = ({ text: value }: Text, max: number) => {
    total += value?.length ?? 0;
    return typeof value === "string" && value.length > 0 && value.length <= max;
  };
  const isBlock = ({ type, text: content, fields = [], elements = [] }: Block) => {
    if (type === "header") return content?.type === "plain_text" && isText(content, 150);
    if (type === "context") return elements.length <= 10 && elements.every((element) => isText(element, 2000));
    if (type === "rich_text") {
      return elements.every(
        (part) => (part.elements ?? []).length > 0 && part.elements?.every((one) => isText(one, 3000)),
      );
    }
    const isContent = content === undefined ? fields.length > 0 : isText(content, 3000);
    return type === "section" && isContent && fields.length <= 10 && fields.every((field) => isText(field, 2000));
  };
  return (blocks as Block[]).every(isBlock) && total <= 13_200;
}
