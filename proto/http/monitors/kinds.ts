import * as z from "zod";
import { dns } from "./checks/dns.ts";
import { domain } from "./checks/domain.ts";
import { http } from "./checks/http.ts";
import { group } from "./checks/group.ts";
import { heartbeat } from "./checks/heartbeat.ts";
import { inbound } from "./checks/inbound.ts";
import { type Config, defaultsOf, clearableFields, type CheckKind } from "./checks/kind.ts";
import { flow } from "./checks/flow.ts";
import { grpc } from "./checks/grpc.ts";
import { icmp } from "./checks/icmp.ts";
import { mail } from "./checks/mail.ts";
import { mysql } from "./checks/mysql.ts";
import { ntp } from "./checks/ntp.ts";
import { postgres } from "./checks/postgres.ts";
import { redis } from "./checks/redis.ts";
import { tcp } from "./checks/tcp.ts";
import { tls } from "./checks/tls.ts";
import type { Message } from "../messages.ts";
import type { FieldFault } from "../reasons/issues.ts";
import { websocket } from "./checks/websocket.ts";

/** Every kind of check, in form order. A new kind needs a file in `checks/` and a line here. */
export const kinds = {
  http,
  websocket,
  grpc,
  flow,
  tcp,
  dns,
  tls,
  icmp,
  domain,
  ntp,
  mail,
  postgres,
  mysql,
  redis,
  heartbeat,
  inbound,
  group,
} as const;

export type CheckType = keyof typeof kinds;
export const checkTypes = Object.keys(kinds) as [CheckType, ...CheckType[]];

export type PassiveType = {
  [Type in CheckType]: (typeof kinds)[Type]["passive"] extends true ? Type : never;
}[CheckType];
export type ProbedType = Exclude<CheckType, PassiveType>;
export const isPassive = (type: CheckType): type is PassiveType => kinds[type].passive;
export const passiveTypes = checkTypes.filter(isPassive) as [PassiveType, ...PassiveType[]];
export const probedTypes = checkTypes.filter((type) => !isPassive(type)) as [ProbedType, ...ProbedType[]];

/** Why a passive monitor cannot be checked manually. */
export const notChecked: Readonly<Record<PassiveType, Message>> = {
  heartbeat: "Heartbeats cannot be checked manually: the job pings them",
  inbound: "Inbound monitors cannot be checked manually: other systems send them alerts",
  group: "Groups cannot be checked manually: their state follows from their members",
};

/** Why a passive monitor has no settings of checks. */
export const notProbed: Readonly<Record<PassiveType, Message>> = {
  heartbeat: "Heartbeats have no interval, timeout or locations",
  inbound: "Inbound monitors have no interval, timeout or locations",
  group: "Groups have no interval, timeout or locations",
};

type FieldsOf<Type extends CheckType> = (typeof kinds)[Type]["fields"];
/** Field names of a kind, or of any of several kinds. */
export type CheckFieldName<Type extends CheckType = CheckType> = Type extends CheckType
  ? keyof FieldsOf<Type> & string
  : never;
/** A check of one kind: `type` and its fields, with defaults. */
export type CheckOf<Type extends CheckType> = { type: Type } & Config<FieldsOf<Type>>;
export type Check = { [Type in CheckType]: CheckOf<Type> }[CheckType];
type Sent<Fields extends z.ZodRawShape> = z.input<z.ZodObject<Fields>>;
/** The same as input: fields with defaults may be omitted, and `null` clears optional ones. */
export type CheckDraft = {
  [Type in CheckType]: (Type extends "http" ? { type?: Type } : { type: Type }) & {
    [Name in keyof Sent<FieldsOf<Type>>]:
      | Sent<FieldsOf<Type>>[Name]
      | (Name extends keyof FieldsOf<Type> ? (FieldsOf<Type>[Name] extends z.ZodOptional ? null : never) : never);
  };
}[CheckType];

/** A kind as seen by generic code. */
type AnyKind = CheckKind<CheckType, z.ZodRawShape>;

/** Returns a kind. Its functions only accept checks of that kind. */
export function kindOf(type: CheckType): AnyKind {
  return kinds[type] as unknown as AnyKind;
}

/** Combines the kinds' schemas; a body without `type` is HTTP. */
export function unionOfKinds(shapeOf: (kind: AnyKind) => z.ZodRawShape): z.ZodType<Record<string, unknown>> {
  const [first, ...others] = checkTypes.map((type) => {
    const literal = z.literal(type);
    return z.strictObject({ type: type === "http" ? literal.optional() : literal, ...shapeOf(kindOf(type)) });
  });
  return z.discriminatedUnion("type", [first as z.ZodObject, ...(others as z.ZodObject[])]);
}

const checkSchema = unionOfKinds(({ fields }) => clearableFields(fields)).superRefine(refuseTogether);

/** Reports errors across fields. */
export function refuseTogether(fields: Record<string, unknown>, ctx: z.RefinementCtx): void {
  const check = withoutUndefined(fields);
  for (const { path, message, params } of kindOf((check["type"] ?? "http") as CheckType).faults(check)) {
    ctx.addIssue({ code: "custom", path: path.split("."), message, params });
  }
}

/** Errors for a check that cannot finish within its timeout. */
export function faultsOfTime(check: Check, timeoutMs: number): FieldFault[] {
  const { path, ms } = kindOf(check.type).needsMs(check) ?? { path: "", ms: 0 };
  if (ms <= Math.round(timeoutMs)) return [];
  return [
    {
      path,
      message: "This check takes at least {min} seconds, longer than its timeout",
      params: { min: ms / 1000 },
    },
  ];
}

export function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

/** Validates a check with the schema of its kind. */
export function parseCheck(value: unknown): { success: true; data: Check } | { success: false; error: z.ZodError } {
  const parsed = checkSchema.safeParse(value);
  if (!parsed.success) return parsed;
  return { success: true, data: { type: "http", ...withoutUndefined(parsed.data) } as Check };
}

const defaults = new Map(checkTypes.map((type) => [type, { type, ...defaultsOf(kindOf(type).fields) }]));
const isType = (type: unknown): type is CheckType => checkTypes.includes(type as CheckType);

/**
 * Reads a stored or transmitted check; fields added to its kind since then get their defaults.
 * @throws Error for an unknown kind, which is from a newer version
 */
export function readCheck(kept: Readonly<Record<string, unknown>>): Check {
  const { type } = kept;
  if (!isType(type)) throw new Error(`there is no kind of check named ${String(type)}`);
  return { ...defaults.get(type), ...kept } as Check;
}

/** Returns the target shown in lists: `https://example.com/`, `tcp://db:5432`. */
export function targetOf(check: Check): string {
  return kindOf(check.type).target(check);
}

/** Fields of any kind that may be large; compact lists omit them. */
export const heavyFields = [...new Set(checkTypes.flatMap((type) => kindOf(type).heavy))];
