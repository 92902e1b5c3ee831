import type { CheckFieldName, CheckType } from "@sonde/proto/http/monitors/kinds";

export type Text = { en: string; zh: string };
/** A kind's field values, as typed in the form or as stored. */
export type CheckFields = Readonly<Record<string, unknown>>;

/**
 * How a field is entered:
 * - `text` is trimmed; `code` as well, in a fixed-width font
 * - `prose` and `verbatim` are kept as typed; `crlf` sends line breaks as CRLF
 * - `list` has one value per line
 * - `duration` is stored in seconds
 * - `webAddress` gets `https://` if it has no scheme
 * - `object` has `parts`
 * - `headers` and all after it have their own component in features/monitors/kinds; `schedule` also renders `cron` and `timeZone`, and `members`
 *   renders `memberTag`
 */
export type Input =
  | "text"
  | "prose"
  | "code"
  | "verbatim"
  | "crlf"
  | "list"
  | "number"
  | "duration"
  | "switch"
  | "choice"
  | "secret"
  | "url"
  | "webAddress"
  | "status"
  | "object"
  | "headers"
  | "assertions"
  | "extractions"
  | "steps"
  | "schedule"
  | "cron"
  | "timeZone"
  | "members"
  | "memberTag"
  | "need";

export type FieldForm = {
  /** Also used by the audit log. */
  label: Text;
  hint?: Text;
  /** Unit of the stored value, which the audit log appends to the label. Omit it if the label includes the unit. */
  unit?: Text;
  input: Input;
  /** `address` places the field next to the kind, `basic` above the name, a group below **Advanced**. Default: `check`. */
  place?: "address" | "basic" | FieldGroupName;
  /** Share of a row on a wide screen; consecutive fields share rows. Default: a whole row. */
  width?: "half" | "third" | "wide" | "narrow";
  /** An example, the same in both languages. */
  placeholder?: string;
  /** Height of a text area, in lines. */
  rows?: number;
  /** Default of an empty field that depends on other fields. */
  usual?: (values: CheckFields) => number | undefined;
  shownIf?: (values: CheckFields) => boolean;
  /** Labels for the values of a choice; `""` is no choice. Values without a label are shown unchanged. */
  options?: Readonly<Record<string, Text>>;
  /** Fields of an `object`, or of each of the `steps`. */
  parts?: Readonly<Record<string, FieldForm>>;
  /** Allowed sources of `assertions`. Default: all. */
  sources?: readonly ("body" | "header" | "json" | "latency")[];
  /** Shown on the monitor page if the field has no value. Without it, the page omits the field. */
  none?: Text | ((check: CheckFields) => Text);
  /** Value that the monitor page omits. */
  unless?: unknown;
  /** Text of a value on the monitor page, if not the value itself. `null` omits the field. */
  summary?: ((value: never) => string) | null;
};

export type FieldGroupName = keyof typeof fieldGroups;
/** Groups below **Advanced**, in order. A `folded` group renders after it is opened, or if it has a value or an error. */
export const fieldGroups = {
  check: { title: { en: "Check", zh: "检查" } },
  request: { title: { en: "Request", zh: "请求" } },
  expectation: { title: { en: "What counts as up", zh: "判定正常的条件" } },
  connection: {
    title: { en: "Connection", zh: "连接" },
    folded: {
      en: "Proxy, client certificate, OAuth 2, IPv4 or IPv6, server name, HTTP/2 without TLS.",
      zh: "代理、客户端证书、OAuth 2、IPv4 或 IPv6、服务器名称、不加密的 HTTP/2。",
    },
  },
  limits: { title: { en: "Runs", zh: "运行" } },
} satisfies Record<string, { title: Text; folded?: Text }>;

/** Groups of kinds in the form, in order. */
export const kindGroups = {
  web: { en: "Web and API", zh: "网站与 API" },
  network: { en: "Network", zh: "网络" },
  mail: { en: "Mail", zh: "邮件" },
  databases: { en: "Databases", zh: "数据库" },
  jobs: { en: "Jobs", zh: "任务" },
  together: { en: "Together", zh: "组合" },
} satisfies Record<string, Text>;

/** Describes a kind of check. Form, summary and audit labels are generated from it. */
export type KindForm<Name extends string = string> = {
  name: Text;
  purpose: Text;
  group: keyof typeof kindGroups;
  /** Proposes a name from the typed address. Default: host and port. Names may become public, so no path or secret. */
  proposeName?: (values: CheckFields) => string;
  /** In the order of the form and the monitor page. */
  fields: Readonly<Record<Name, FieldForm>>;
};

/** Fields without an input in the form of a kind: `invert` is shared by all kinds, `pingToken` comes only from imports. */
type Elsewhere = "invert" | "pingToken";

/** A field of the schema without a description is a type error. */
export const kindForm = <Type extends CheckType>(form: KindForm<Exclude<CheckFieldName<Type>, Elsewhere>>): KindForm =>
  form;
