import { Cron } from "croner";

/** Nicknames of Vixie cron, see crontab(5). `@reboot` is not supported, because it is not a schedule. */
const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

type Field = { last: number; size: number; isTime: boolean };
/** Second, minute, hour, day of month, month, day of week (0 and 7 are Sunday). */
const fields: readonly Field[] = [
  { last: 59, size: 60, isTime: true },
  { last: 59, size: 60, isTime: true },
  { last: 23, size: 24, isTime: true },
  { last: 31, size: 31, isTime: false },
  { last: 12, size: 12, isTime: false },
  { last: 7, size: 7, isTime: false },
];

/**
 * Parses a cron expression of five or six fields or a nickname such as `@daily`, by the rules of Debian's Vixie cron:
 * - If the day of month or the day of week begins with `*`, both must match; otherwise either is enough.
 * - `5/15` begins at 5. A step larger than the field selects only its first value.
 * - A job whose minute and hour do not begin with `*` runs once a day across clock changes: a skipped run happens at
 *   the end of the gap, a repeated one only once.
 * @throws if the expression is invalid
 */
export function parseCron(expression: string, timeZone: string): Cron {
  const trimmed = expression.trim();
  const parts = (nicknames[trimmed.toLowerCase()] ?? trimmed).split(/\s+/);
  // To croner `?` means the current time, which is not a schedule.
  if (trimmed.includes("?") || ![5, 6].includes(parts.length)) throw new TypeError("invalid cron expression");
  const read = parts.map((part, at) => readField(part, fields[at + fields.length - parts.length]!));
  const [day = "", , weekday = ""] = parts.slice(-3);
  return new Cron(read.join(" "), {
    timezone: timeZone,
    mode: "5-or-6-parts",
    domAndDow: [day, weekday].some((part) => part.startsWith("*")),
    fixedTimeRule: "no-wildcard",
  });
}

/** croner treats any time with a star or a step as a wildcard: steps that do not begin with a star become lists. */
function readField(part: string, { last, size, isTime }: Field): string {
  const isListed = isTime && !part.startsWith("*");
  const read = (item: string) => {
    const [, range = item, text = "1"] = /^([^/]+)\/(\d+)$/.exec(item) ?? [];
    const step = Math.min(Number(text), size);
    if (step === 0 || (range === item && item !== "*")) return item;
    if (range === "*") return isListed ? listed(0, last, step) : `*/${step}`;
    const [from = "", to = String(last)] = range.split("-");
    if (!isListed || !/^\d+$/.test(from + to)) return `${from}-${to}/${step}`;
    return listed(Number(from), Math.min(Number(to), last + 1), step) || item;
  };
  return part === "*" ? part : part.split(",").map(read).join(",");
}

function listed(from: number, to: number, step: number): string {
  const values: number[] = [];
  for (let value = from; value <= to; value += step) values.push(value);
  return values.join(",");
}
