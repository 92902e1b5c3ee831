import type { CheckFieldName, CheckType } from "@sonde/proto/http/monitors/kinds";

/** A text in both languages. */
export type Text = { en: string; zh: string };
/** The fields of a kind: as typed in the form, or as stored. */
export type CheckFields = Readonly<Record<string, unknown>>;

/**
 * How a field is entered. `text` is trimmed, `code` is the same in a fixed-width font, `prose` and `verbatim` are kept as typed, `crlf`
 * sends line breaks as CRLF, `list` has one value a line, `duration` is stored in seconds, `webAddress` gets `https://` if
 * it has no scheme, `object` has parts. Those from `headers` on have a component each in features/monitors/kinds;
 * `schedule` also draws `cron` and `timeZone`.
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
  | "timeZone";

export type FieldForm = {
  /** Also what the audit calls the field. */
  label: Text;
  hint?: Text;
  /** Of the stored value. The audit adds it to the label; a label that names its unit leaves it out. */
  unit?: Text;
  input: Input;
  /** `address` is above the name; a group is below 'advanced'; all else is below the name. */
  place?: "address" | FieldGroupName;
  /** The share of a row on a wide screen; consecutive fields fill it. A whole row without it. */
  width?: "half" | "third" | "wide" | "narrow";
  /** An example, the same in every language. */
  placeholder?: string;
  /** Lines of a text area. */
  rows?: number;
  /** What an empty field means, if that depends on other fields. */
  usual?: (values: CheckFields) => number | undefined;
  /** Whether the field applies. */
  shownIf?: (values: CheckFields) => boolean;
  /** Words for the values of a choice, `""` for none of them; values without words are shown as they are. */
  options?: Readonly<Record<string, Text>>;
  /** The fields of an `object`, or of each of the `steps`. */
  parts?: Readonly<Record<string, FieldForm>>;
  /** The sources of `assertions`, all without it. */
  sources?: readonly ("body" | "header" | "json" | "latency")[];
  /** What the monitor's page says if the field has no value; without it the page leaves the field out. */
  none?: Text | ((check: CheckFields) => Text);
  /** The value that the page leaves out. */
  unless?: unknown;
  /** What the page says of a value, if that is not the value itself; null leaves it out. */
  summary?: ((value: never) => string) | null;
};

export type FieldGroupName = keyof typeof fieldGroups;
/** The groups below 'advanced', in their order. One that is folded is drawn once it is opened, is in use, or has a fault. */
export const fieldGroups = {
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

/** The groups of kinds in the form, in their order. */
export const kindGroups = {
  web: { en: "Web and API", zh: "网站与 API" },
  network: { en: "Network", zh: "网络" },
  mail: { en: "Mail", zh: "邮件" },
  databases: { en: "Databases", zh: "数据库" },
  jobs: { en: "Jobs", zh: "任务" },
} satisfies Record<string, Text>;

/** One kind of check as the web app shows it. Form, summary and audit labels are made of it. */
export type KindForm<Name extends string = string> = {
  name: Text;
  purpose: Text;
  group: keyof typeof kindGroups;
  /** A name made of the typed address; by default its host and port. It may become public: no path, no secret. */
  proposeName?: (values: CheckFields) => string;
  /** In the order of the form and of the monitor's page. */
  fields: Readonly<Record<Name, FieldForm>>;
};

/** Fields that no form of a kind has: all kinds share the switch, and a token is only given when a heartbeat is imported. */
type Elsewhere = "invert" | "pingToken";

/** Describes a kind; a field of its schema that is not described is a type error. */
export const kindForm = <Type extends CheckType>(form: KindForm<Exclude<CheckFieldName<Type>, Elsewhere>>): KindForm =>
  form;
