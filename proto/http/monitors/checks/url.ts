import { trimmedLine } from "../../text.ts";
import type { LocatedLiteral } from "./kind.ts";

const urlPattern = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://[^\u0000-\u001f\u007f-\u009f]*$`;
/** An http or https address; `line` may add rules. */
export const urlOf = (line = trimmedLine()) =>
  line
    .min(1, "URL is required")
    .max(2048, "The address is too long (at most {max} characters)")
    .superRefine((text, ctx) => {
      if (text === "") return;
      const url = URL.canParse(text) ? new URL(text) : null;
      if (url === null || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text) || url.hostname === "") {
        ctx.addIssue({ code: "custom", message: "Please enter a full http or https address" });
      } else if (url.username !== "" || url.password !== "") {
        ctx.addIssue({ code: "custom", message: "The address cannot contain a username or password" });
      }
    })
    .meta({ format: "uri", pattern: urlPattern, description: "http or https URL without user name and password." });
export const monitorUrl = urlOf();

export const hostOfUrl = ({ url }: { url: string }, path = "url"): LocatedLiteral[] =>
  URL.canParse(url) ? [{ path, value: new URL(url).hostname.replace(/^\[|\]$/g, "") }] : [];
export const originOfUrl = ({ url }: { url: string }): string => (URL.canParse(url) ? new URL(url).origin : url);
