import * as z from "zod";
import { dns } from "./checks/dns.ts";
import { domain } from "./checks/domain.ts";
import { http } from "./checks/http.ts";
import { heartbeat } from "./checks/heartbeat.ts";
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
import type { FieldFault } from "../reasons/issues.ts";
import { websocket } from "./checks/websocket.ts";

/** Every kind of check, in the order in which forms offer them. A new one is its file in `checks/` and its line here. */
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
} as const;

export type CheckType = keyof typeof kinds;
export const checkTypes = Object.keys(kinds) as [CheckType, ...CheckType[]];

/** The kinds that no runner checks. */
export type PassiveType = {
  [Type in CheckType]: (typeof kinds)[Type]["passive"] extends true ? Type : never;
}[CheckType];
export type ProbedType = Exclude<CheckType, PassiveType>;
export const isPassive = (type: CheckType): type is PassiveType => kinds[type].passive;
export const passiveTypes = checkTypes.filter(isPassive) as [PassiveType, ...PassiveType[]];
export const probedTypes = checkTypes.filter((type) => !isPassive(type)) as [ProbedType, ...ProbedType[]];

type FieldsOf<Type extends CheckType> = (typeof kinds)[Type]["fields"];
/** The names of a kind's fields; of several kinds those of any. */
export type CheckFieldName<Type extends CheckType = CheckType> = Type extends CheckType
  ? keyof FieldsOf<Type> & string
  : never;
/** What a check of one kind is to do: its `type` and the fields of that kind, with their defaults. */
export type CheckOf<Type extends CheckType> = { type: Type } & Config<FieldsOf<Type>>;
export type Check = { [Type in CheckType]: CheckOf<Type> }[CheckType];
type Sent<Fields extends z.ZodRawShape> = z.input<z.ZodObject<Fields>>;
/** The same as a person may send it: what has a default may be left out, and null clears what may be absent. */
export type CheckDraft = {
  [Type in CheckType]: (Type extends "http" ? { type?: Type } : { type: Type }) & {
    [Name in keyof Sent<FieldsOf<Type>>]:
      | Sent<FieldsOf<Type>>[Name]
      | (Name extends keyof FieldsOf<Type> ? (FieldsOf<Type>[Name] extends z.ZodOptional ? null : never) : never);
  };
}[CheckType];

/** A kind as code that serves all of them sees it. */
type AnyKind = CheckKind<CheckType, z.ZodRawShape>;

/** What is known of a kind. The fields that its functions are given are those of a check of that kind. */
export function kindOf(type: CheckType): AnyKind {
  return kinds[type] as unknown as AnyKind;
}

/** A schema for each kind in one; a body without `type` is of HTTP. */
export function unionOfKinds(shapeOf: (kind: AnyKind) => z.ZodRawShape): z.ZodType<Record<string, unknown>> {
  const [first, ...others] = checkTypes.map((type) => {
    const literal = z.literal(type);
    return z.strictObject({ type: type === "http" ? literal.optional() : literal, ...shapeOf(kindOf(type)) });
  });
  return z.discriminatedUnion("type", [first as z.ZodObject, ...(others as z.ZodObject[])]);
}

const checkSchema = unionOfKinds(({ fields }) => clearableFields(fields)).superRefine(refuseTogether);

/** Refuses fields that are wrong together. */
export function refuseTogether(fields: Record<string, unknown>, ctx: z.RefinementCtx): void {
  const check = withoutUndefined(fields);
  for (const { path, message, params } of kindOf((check["type"] ?? "http") as CheckType).faults(check)) {
    ctx.addIssue({ code: "custom", path: path.split("."), message, params });
  }
}

/** Error of a check that cannot finish within its timeout. */
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

/** Without the fields that have no value. */
export function withoutUndefined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}

/** Checks what a check is to do by the schema of its kind. */
export function parseCheck(value: unknown): { success: true; data: Check } | { success: false; error: z.ZodError } {
  const parsed = checkSchema.safeParse(value);
  if (!parsed.success) return parsed;
  return { success: true, data: { type: "http", ...withoutUndefined(parsed.data) } as Check };
}

const defaults = new Map(checkTypes.map((type) => [type, { type, ...defaultsOf(kindOf(type).fields) }]));
const isType = (type: unknown): type is CheckType => checkTypes.includes(type as CheckType);

/**
 * A check as it was kept or carried; fields that its kind got since then have their defaults.
 * @throws Error where the kind is not known: it is of a newer version
 */
export function readCheck(kept: Readonly<Record<string, unknown>>): Check {
  const { type } = kept;
  if (!isType(type)) throw new Error(`there is no kind of check named ${String(type)}`);
  return { ...defaults.get(type), ...kept } as Check;
}

/** What lists show of a check: `https://example.com/`, `tcp://db:5432`. */
export function targetOf(check: Check): string {
  return kindOf(check.type).target(check);
}

/** The fields that may be large, of any kind: a compact list leaves them out. */
export const heavyFields = [...new Set(checkTypes.flatMap((type) => kindOf(type).heavy))];
