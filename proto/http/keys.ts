import * as z from "zod";
import { instant, rowId, success } from "./envelope.ts";
import { nameOf } from "./text.ts";
import { roles, username } from "./users.ts";

/** Scopes of API keys. `read` reads everything its owner can; the others allow changes in their area. */
export const scopes = [
  "read",
  "metrics",
  "monitors",
  "agents",
  "incidents",
  "notifications",
  "status",
  "config",
] as const;
export type KeyScope = (typeof scopes)[number];

export const maxKeys = 100;
export const maxKeyDays = 366;

const name = nameOf(100);
const anyNetwork = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]);
/** A network or a single address. */
export const network = z
  .string()
  .max(50)
  .refine((text) => anyNetwork.safeParse(text).success, "Enter a network such as 192.0.2.0/24")
  .meta({ examples: ["192.0.2.0/24"] });
const allowFrom = z
  .array(network)
  .max(20)
  .meta({ description: "Networks that may use the key; an empty list allows all." });

export const apiKey = z.object({
  id: rowId,
  name: z.string(),
  prefix: z.string().meta({ description: "First characters of the key." }),
  scopes: z.array(z.enum(scopes)),
  allowFrom: z.array(z.string()),
  owner: z.object({ id: rowId, username: z.string() }),
  createdAt: instant,
  createdBy: z.string(),
  expiresAt: instant.optional().meta({ description: "Absent if the key never expires." }),
  lastUsedAt: instant.optional().meta({ description: "Rounded to the minute." }),
  lastUsedFrom: z.string().optional(),
});
export type ApiKey = z.infer<typeof apiKey>;

export const createKeyInput = z.strictObject({
  name,
  scopes: z.array(z.enum(scopes)).min(1).max(10),
  expiresAt: instant
    .nullable()
    .optional()
    .meta({
      description: `At max, and by default, ${maxKeyDays} days ahead; null for never (administrators only).`,
    }),
  allowFrom: allowFrom.default([]),
  accountId: rowId
    .optional()
    .meta({ description: "Id of a service account (administrators only); absent for a key of your own account." }),
});
export type CreateKeyInput = z.infer<typeof createKeyInput>;

export const updateKeyInput = z.strictObject({
  name,
  allowFrom,
  expiresAt: instant.optional().meta({ description: "In the future, and earlier than the current expiry." }),
});
export type UpdateKeyInput = z.infer<typeof updateKeyInput>;

export const rotateKeyInput = z.strictObject({
  overlapMinutes: z
    .int()
    .min(0)
    .max(1440)
    .meta({ description: "Minutes for which the previous secret keeps working." }),
});

export const keysQuery = z.strictObject({
  all: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "`true` lists the keys of all accounts (administrators only)." }),
});
export const keysAnswer = success({ keys: z.array(apiKey) });
export const keyAnswer = success({ key: apiKey });
export const newKeyAnswer = success({
  key: apiKey,
  secret: z.string().meta({ description: "Shown only once." }),
});

/** An account without a login, whose keys don't depend on a user. */
export const serviceAccount = z.object({
  id: rowId,
  username: z.string(),
  role: z.enum(roles),
  createdAt: instant,
  keys: z.int(),
});
export const createServiceAccountInput = z.strictObject({ name: username, role: z.enum(["user", "viewer"]) });
export type CreateServiceAccountInput = z.infer<typeof createServiceAccountInput>;
export const serviceAccountsAnswer = success({ accounts: z.array(serviceAccount) });
export const serviceAccountAnswer = success({ account: serviceAccount });
