import type { TemplatePreviewInput } from "@sonde/proto/http/notifications/templates";
import { linksOf } from "../acknowledge/link.ts";
import type { Context } from "../context.ts";
import { builtInTemplate } from "../messages/built-in.ts";
import { renderMessage } from "../messages/render.ts";
import { sampleFacts } from "../messages/sample.ts";

type Words = { subject: string; content: string };

/**
 * What a template makes of a made-up incident, by the way that messages take; where subject or content is absent, it is
 * the built-in one's. Beside it the built-in words as a template.
 */
export function previewTemplate(ctx: Context, input: TemplatePreviewInput): { preview: Words; builtIn: Words } {
  const { kind, language = "zh-CN", ...given } = input;
  const builtIn = builtInTemplate(kind, language);
  const message = renderMessage({
    key: "preview",
    alerts: [sampleFacts(kind, language, ctx.clock.now())],
    language,
    template: { kind, subject: given.subject ?? builtIn.subject, content: given.content ?? builtIn.content },
    linksOf: linksOf({ ...ctx, publicUrl: ctx.publicUrl ?? "https://sonde.example.com" }, 0),
  });
  return { preview: { subject: message.title, content: message.text }, builtIn };
}
