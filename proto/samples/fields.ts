/**
 * Fields of a sample. The agent encodes with this table, agent-ingest validates with it, and the public JSON is derived
 * from it. `samples.proto` is the same contract for readers of whole samples; a test compares the two. Fields are in
 * the order of their numbers, as agents write them.
 */

/** `optional` fields may be absent; `nullable` ones may also be null in JSON. */
type Presence = "required" | "optional" | "nullable";

type Kind =
  | { kind: "double"; min: number; max: number; whole?: boolean }
  | { kind: "uint32" }
  | { kind: "text"; maxLength: number; oneOf?: readonly string[] }
  /** Epoch milliseconds; google.protobuf.Timestamp on the wire, ISO 8601 in JSON. */
  | { kind: "instant" }
  | { kind: "message"; fields: MessageFields }
  | { kind: "list"; fields: MessageFields; maxEntries: number };

export type MessageField = Kind & { number: number; presence: Presence };
export type MessageFields = { readonly [name: string]: MessageField };

const required = { presence: "required" } as const;
const withPresence =
  <P extends Presence>(presence: P) =>
  <F extends MessageField>(field: F) =>
    ({ ...field, presence }) as Omit<F, "presence"> & { presence: P };
const [optional, nullable] = [withPresence("optional"), withPresence("nullable")];

const double = (number: number, min: number, max: number) =>
  ({ kind: "double", number, min, max, ...required }) as const;
const percent = (number: number) => double(number, 0, 100);
/** Bytes, bytes per second, seconds or packets, up to the largest 64-bit counter. */
const amount = (number: number) => double(number, 0, 2 ** 64);
const uint32 = (number: number) => ({ kind: "uint32", number, ...required }) as const;
const text = (number: number, maxLength: number) => ({ kind: "text", number, maxLength, ...required }) as const;
const message = <Fields extends MessageFields>(number: number, fields: Fields) =>
  ({ kind: "message", number, fields, presence: "optional" }) as const;
const list = <Fields extends MessageFields>(number: number, maxEntries: number, fields: Fields) =>
  ({ kind: "list", number, maxEntries, fields, presence: "optional" }) as const;

export const sampleScopes = ["host", "container"] as const;

export const sampleFields = {
  at: { kind: "instant", number: 1, ...required },
  cpu: message(2, { usage: nullable(percent(1)), cores: optional(uint32(2)), model: optional(text(3, 200)) }),
  memory: message(3, {
    total: amount(1),
    used: amount(2),
    free: amount(3),
    usage: percent(4),
    available: optional(amount(5)),
    swapTotal: optional(amount(6)),
    swapUsed: optional(amount(7)),
  }),
  disks: list(4, 100, {
    device: text(1, 500),
    mountPoint: text(2, 500),
    fsType: text(3, 100),
    total: amount(4),
    used: amount(5),
    free: amount(6),
    usage: percent(7),
    inodesTotal: optional(amount(8)),
    inodesUsed: optional(amount(9)),
  }),
  network: list(5, 100, {
    interface: text(1, 100),
    receiveRate: nullable(amount(2)),
    sendRate: nullable(amount(3)),
    received: amount(4),
    sent: amount(5),
    packetsReceived: amount(6),
    packetsSent: amount(7),
  }),
  load: message(6, { one: amount(1), five: amount(2), fifteen: amount(3) }),
  uptime: optional(amount(7)),
  bootId: optional(text(8, 100)),
  sequence: { kind: "double", number: 9, min: 0, max: Number.MAX_SAFE_INTEGER, whole: true, presence: "optional" },
  temperatures: list(10, 100, { sensor: text(1, 100), celsius: double(2, -1000, 1_000_000) }),
  gpus: list(11, 32, {
    name: text(1, 200),
    usage: percent(2),
    memoryUsed: optional(amount(3)),
    memoryTotal: optional(amount(4)),
  }),
  containers: optional(uint32(12)),
  scope: { kind: "text", number: 13, maxLength: 10, oneOf: sampleScopes, presence: "optional" },
  footprint: message(14, { rss: amount(1), queued: optional(uint32(2)) }),
} as const satisfies MessageFields;

type Value<Field> = Field extends { kind: "list"; fields: infer Fields }
  ? FieldValues<Fields>[]
  : Field extends { fields: infer Fields }
    ? FieldValues<Fields>
    : Field extends { oneOf: readonly (infer Word)[] }
      ? Word
      : Field extends { kind: "text" }
        ? string
        : number;
type NamesOf<Fields, P> = { [Name in keyof Fields]: Fields[Name] extends { presence: P } ? Name : never }[keyof Fields];

/** Values of a table's fields; instants are epoch milliseconds. */
export type FieldValues<Fields> = { [Name in NamesOf<Fields, "required">]: Value<Fields[Name]> } & {
  [Name in NamesOf<Fields, "optional">]?: Value<Fields[Name]>;
} & { [Name in NamesOf<Fields, "nullable">]?: Value<Fields[Name]> | null };

export type SampleValues = FieldValues<typeof sampleFields>;
