import { requestIdOf } from "@sonde/kit/http/caller";
import type { Context, Next } from "../context.ts";
import type { Deps } from "../deps.ts";
import { hostFault } from "../middleware/host.ts";
import { countRequest } from "../middleware/observe.ts";
import { commonHeaders } from "../middleware/security-headers.ts";
import { bestEncoding, holds } from "../site/send.ts";
import { type Answer, answerOf } from "./answers.ts";
import { preferredLanguage } from "./language.ts";
import type { Wanted } from "./wanted.ts";
import type { Language } from "./page/render.ts";

/** What a crowd asks for, and the route that its figures count under. */
const wantedAt = new Map<string, { route: string; of: (language: Language) => Wanted }>([
  ["/status", { route: "status", of: (language) => ({ kind: "page", language }) }],
  ["/status/embed", { route: "status", of: (language) => ({ kind: "embed", language }) }],
  ["/api/status", { route: "/api/status", of: () => ({ kind: "json" }) }],
]);

/**
 * Answers what a crowd asks for, where its bytes are ready, before anything else is done for a request: a page that
 * everybody looks at must cost next to nothing. All else goes on to where any request goes, and is answered alike there;
 * of what is answered here there is no line in the log and no span.
 */
export function answerQuickly({ status: page, config }: Pick<Deps, "status" | "config">) {
  const always = Object.entries(commonHeaders(config.publicUrl));
  const faultOf = hostFault(config);
  const heads = new WeakMap<Answer, Heads>();

  return (ctx: Context, next: Next): unknown => {
    const { req, res } = ctx;
    const found = wantedAt.get(req.url ?? "");
    if (found === undefined || (req.method !== "GET" && req.method !== "HEAD") || faultOf(req) !== null) return next();
    const startedAtMs = performance.now();
    const wanted = found.of(preferredLanguage(req.headers["accept-language"] ?? ""));
    const document = page.documents.made(wanted);
    if (document === undefined || document === null) return next();
    const encoding = bestEncoding(req.headers["accept-encoding"] ?? "");
    if (encoding !== null && document.encoded.made(encoding) === undefined) return next();
    const answer = answerOf(document, wanted, encoding, config);
    const { full, brief } = heads.get(answer) ?? headsOf(always, answer);
    if (!heads.has(answer)) heads.set(answer, { full, brief });
    ctx.respond = false;
    const isHeld = holds(req.headers["if-none-match"], answer.tag);
    const status = isHeld ? 304 : 200;
    res.writeHead(status, [...(isHeld ? brief : full), "X-Request-Id", requestIdOf(req)]);
    if (isHeld) res.end();
    else res.end(answer.body);
    countRequest(req.method, found.route, status, performance.now() - startedAtMs);
  };
}

/** Names and values in turns, as node:http takes them without another look. */
type Heads = { full: string[]; brief: string[] };

function headsOf(always: [string, string][], { headers, removed, body }: Answer): Heads {
  const all = new Map(always);
  for (const name of removed) all.delete(name);
  for (const [name, value] of Object.entries(headers)) all.set(name, value);
  const brief = new Map(all);
  for (const name of ["Content-Type", "Content-Encoding"]) brief.delete(name);
  all.set("Content-Length", String(body.length));
  return { full: [...all].flat(), brief: [...brief].flat() };
}
