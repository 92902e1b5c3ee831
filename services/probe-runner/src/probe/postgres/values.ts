// oxlint-disable-next-line no-restricted-imports -- it is what is checked, not where something is kept
import pg from "pg";

type Parse = (text: string) => unknown;

const asWritten: Parse = (text) => text;
// JSON has neither NaN nor infinity.
const asNumber: Parse = (text) => (Number.isFinite(Number(text)) ? Number(text) : text);
const arrayOf =
  (parse: Parse): Parse =>
  (text) =>
    eachOf(readTexts(text), parse);
const libraryParser = pg.types.getTypeParser as (oid: number) => Parse;
const readTexts = libraryParser(1009); // text[]

function eachOf(value: unknown, parse: Parse): unknown {
  if (Array.isArray(value)) return value.map((one) => eachOf(one, parse));
  return typeof value === "string" ? parse(value) : value;
}

/** By type OID. Values stay as written: the library would use the runner's time zone, and objects. */
const parsers = new Map<number, Parse>([
  [17, asWritten], // bytea
  [700, asNumber], // float4
  [701, asNumber], // float8
  [1082, asWritten], // date
  [1083, asWritten], // time
  [1114, asWritten], // timestamp
  [1184, asWritten], // timestamptz
  [1186, asWritten], // interval
  [1266, asWritten], // timetz
  [1001, arrayOf(asWritten)],
  [1021, arrayOf(asNumber)],
  [1022, arrayOf(asNumber)],
  [1115, arrayOf(asWritten)],
  [1182, arrayOf(asWritten)],
  [1183, arrayOf(asWritten)],
  [1185, arrayOf(asWritten)],
  [1187, arrayOf(asWritten)],
  [1270, arrayOf(asWritten)],
]);

export const types = {
  getTypeParser: ((oid: number) => parsers.get(oid) ?? libraryParser(oid)) as typeof pg.types.getTypeParser,
};
