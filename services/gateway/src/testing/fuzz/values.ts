import type { JsonSchema } from "json-schema-faker";

/** Texts for every string field: attempts at injection, and characters that are hard to encode. */
export const injections = [
  "' OR '1'='1' --",
  '"; DROP TABLE monitors; --',
  "${7*7}{{7*7}}<%= 7*7 %>",
  "<script>alert(1)</script>",
  "../../../../etc/passwd%00",
  "$(id)`id`|id",
  "\r\nX-Injected: 1",
  "\u0000",
  "\ud800",
  "\u202e\ufeff👩‍👩‍👧‍👦",
  "__proto__",
  "NaN",
  "\\",
];

const wrongTypes = [null, true, 0, -1, 1.5, "", "text", [], [null], {}, { a: 1 }];
const boundaries = [0, -0, -1, 1e-9, 1 / 3, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308];

/** Ids for a path: zero, too large, not a number, in another syntax. */
export const strangeIds = [
  "0",
  "-1",
  "1.0",
  "1e3",
  "0x1",
  "٣",
  "2147483647",
  "2147483648",
  "9007199254740993",
  "9".repeat(400),
  "null",
  "%00",
  "%27%20OR%201=1",
  "..%2f..%2fetc%2fpasswd",
  "%F0%9F%92%A9",
];

/** Values for every query parameter. */
export const strangeQueries = [
  "",
  "0",
  "-1",
  "1.5",
  "NaN",
  "1e309",
  "99999999999999999999",
  "2000000000",
  "null",
  "true",
  "[]",
  ...injections,
];

/** Returns values on both sides of the limits, and of every other type. */
export function mutationsOf(schema: JsonSchema): unknown[] {
  if (typeof schema === "boolean") return wrongTypes;
  const parts = [schema, ...(schema.anyOf ?? [])].filter((part) => typeof part === "object");
  const own = parts.flatMap(
    ({ type, minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems }) => [
      ...(type === "string" ? injections : []),
      ...(minLength === undefined ? [] : ["x".repeat(Math.max(0, minLength - 1)), " ".repeat(minLength)]),
      ...(maxLength === undefined ? [] : ["x".repeat(maxLength), "x".repeat(maxLength + 1), "界".repeat(maxLength)]),
      ...(type === "number" || type === "integer" ? boundaries : []),
      ...[minimum, maximum, exclusiveMinimum].flatMap((limit) =>
        limit === undefined ? [] : [limit, limit - 1, limit + 1],
      ),
      ...(minItems === undefined ? [] : [[]]),
      ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, () => "x")]),
    ],
  );
  return [...own, ...wrongTypes];
}

/** JSON of an object with 10,000 levels. */
export const deepJson = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;

/** Raw bodies that are not a JSON object. */
export const brokenJson = ["{", "nul", "[]", "null", '"text"', '{"a":1}{"b":2}', '{"a":NaN}', deepJson];
