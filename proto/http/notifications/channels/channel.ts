import type { z } from "zod";
import type { FormField } from "../../form.ts";
import type { Config, LocatedLiteral, SecretText } from "../../monitors/checks/kind.ts";
import { secretMask } from "../../secrets.ts";
import { linePattern, trimmedLine } from "../../text.ts";

/**
 * A type of channel: everything the layers between the form and the sender need. `fields` follow the rules for checks
 * (checks/kind.ts); the form is built from `form`, in its order.
 */
export type ChannelType<Type extends string, Fields extends z.ZodRawShape> = {
  type: Type;
  fields: Fields;
  form: readonly FormField<keyof Fields & string>[];
  /** Hosts to dial. The egress guard must allow every literal address among them. */
  hosts(config: Config<Fields>): LocatedLiteral[];
  secrets(config: Config<Fields>): SecretText[];
  /** Recipient of the secrets; if it changes, they must be entered again. */
  audience(config: Config<Fields>): string;
};

type Hooks = "hosts" | "secrets" | "audience";

/** Declares a type of channel; its secrets are the fields of secret types unless overridden. */
export function channel<Type extends string, Fields extends z.ZodRawShape>(
  declared: Omit<ChannelType<Type, Fields>, Hooks> & Partial<Pick<ChannelType<Type, Fields>, Hooks>>,
): ChannelType<Type, Fields> {
  const secretNames = declared.form.filter(({ input }) => input === "secret").map(({ name }) => name);
  const secrets = (config: Config<Fields>) =>
    secretNames
      .filter((name) => typeof (config as Record<string, unknown>)[name] === "string")
      .map((name) => ({ path: [name], name }));
  return { hosts: () => [], secrets, audience: () => "", ...declared };
}

/** JSON Schema `pattern`. */
const urlPattern = String.raw`[Hh][Tt][Tt][Pp][Ss]?://[^\u0000-\u001f\u007f-\u009f]+`;
export const noCredentials = "The address cannot contain a username or password";
const notHttp = "Please enter a full http or https address";

const address = () =>
  trimmedLine().min(1, "URL is required").max(2048, "The address is too long (at most {max} characters)");

/** An http or https address for messages. It is shown unmasked, so it cannot contain a password. */
export const httpUrl = () =>
  address()
    .refine((text) => text === "" || isHttpUrl(text), notHttp)
    .refine((text) => !hasCredentials(text), noCredentials)
    .meta({ format: "uri", pattern: `^${urlPattern}$` });

/** An address that is itself a secret; the mask means the stored one. */
export const secretUrl = () =>
  address()
    .refine((text) => text === "" || text === secretMask || isHttpUrl(text), notHttp)
    .meta({ pattern: `^(?:${urlPattern}|${secretMask})$` });

function isHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && /^https?:\/\//i.test(text) && url.hostname !== "";
}

export function hasCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}

/** Returns the host of an address, with its path in the configuration. */
export function hostAt(path: string, url: string | undefined): LocatedLiteral[] {
  if (url === undefined || !URL.canParse(url)) return [];
  return [{ path, value: new URL(url).hostname.replace(/^\[|\]$/g, "") }];
}

export const originOf = (url: string | undefined): string =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : (url ?? "");

/** One line issued by a provider, such as a token or name, of at most `max` characters. */
export const requiredText = (max = 500) =>
  trimmedLine().min(1, "This field is required").max(max).meta({ pattern: linePattern });

/** A phone number in E.164 format. */
export const phoneNumber = () => trimmedLine().regex(/^\+\d{5,15}$/, "This is not a valid phone number");

const mailPattern = String.raw`[^\s<>@,;"]+@[^\s<>@,;"]+\.[^\s<>@,;"]+`;
export const mailAddress = new RegExp(`^${mailPattern}$`);

/** Returns true for an email address, or with `named` a name and an address: `Sonde <alerts@example.com>`. */
export function isMailAddress(text: string, named: "named" | "bare" = "bare"): boolean {
  const [, inner] = /^[^<>\r\n]*<([^<>]+)>$/.exec(text) ?? [];
  return mailAddress.test(named === "named" && inner !== undefined ? inner.trim() : text);
}

/** Sender of a mail: `Name <address>` or a bare address. */
export const mailSender = () =>
  trimmedLine()
    .min(1, "The sender is required")
    .max(320)
    .refine(
      (text) => text === "" || isMailAddress(text, "named"),
      "Enter the sender as an address or as Name <address>",
    )
    .meta({ pattern: String.raw`^(?:[^<>\u0000-\u001f\u007f-\u009f]*<\s*${mailPattern}\s*>|${mailPattern})$` });

/** Recipients of a mail: up to `most` addresses, separated by commas. */
export const mailRecipients = (max: number) =>
  trimmedLine()
    .min(1, "The recipient is required")
    .max(2000)
    .refine(
      (text) => text === "" || mailAddresses(text).every((one) => isMailAddress(one)),
      "Please enter a valid email address",
    )
    .superRefine((text, ctx) => {
      if (mailAddresses(text).length <= max) return;
      ctx.addIssue({ code: "custom", message: "At most {max} recipients are allowed", params: { max } });
    })
    .meta({ pattern: String.raw`^${mailPattern}(?: *, *${mailPattern}){0,${max - 1}}$` });

export const mailAddresses = (text: string): string[] => text.split(",").map((part) => part.trim());
