import { fillTemplate, type TemplateValues } from "@sonde/proto/http/notifications/templates";
import type { ChannelMessage } from "../../messages/message.ts";
import { templateValues } from "../../messages/values.ts";
import { cut, sizeOf } from "../text.ts";

const maxBytes = 64 * 1024;

/**
 * A user's own body with the values of a message's first alert. Each value is escaped for the inside of a JSON string,
 * so that it cannot end the string and add to the JSON; each name must therefore be in quotes.
 */
export function fillBody(template: string, { alerts, language, links }: ChannelMessage): string {
  const [alert] = alerts;
  if (alert === undefined) return template;
  const values = templateValues(alert, language, links[0]?.url);
  // A template may name a long value a thousand times.
  for (const longest of [Infinity, 200, 50]) {
    const body = fillTemplate(template, quoted(values, longest));
    if (sizeOf(body, "bytes") <= maxBytes) return body;
  }
  return fillTemplate(template, quoted(values, 10));
}

function quoted(values: TemplateValues, longest: number): Record<string, string> {
  const texts = Object.entries(values).map(([name, value]) => {
    const shown = longest === Infinity ? value : cut(value, longest);
    return [name, JSON.stringify(shown).slice(1, -1)];
  });
  return Object.fromEntries(texts) as Record<string, string>;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
