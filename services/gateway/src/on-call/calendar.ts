import type { Person, Shift } from "@sonde/proto/http/on-call/schedules";

type Calendar = {
  id: number;
  name: string;
  shifts: readonly Shift[];
  people: readonly Person[];
  /** Makes event ids unique among installations. */
  host: string;
};

/** An iCalendar of shifts (RFC 5545), with times in UTC. */
export function writeCalendar({ id, name, shifts, people, host }: Calendar): string {
  const names = new Map(people.map((person) => [person.id, person.name]));
  const events = shifts.flatMap(({ userId, start, end }) => [
    "BEGIN:VEVENT",
    `UID:${id}-${stamp(start)}-${userId}@${host}`,
    `DTSTAMP:${stamp(start)}`,
    `DTSTART:${stamp(start)}`,
    `DTEND:${stamp(end)}`,
    `SUMMARY:${escaped(`${names.get(userId) ?? `#${userId}`} · ${name}`)}`,
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ]);
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Sonde//On call//EN",
    "METHOD:PUBLISH",
    `X-WR-CALNAME:${escaped(name)}`,
    "REFRESH-INTERVAL;VALUE=DURATION:PT1H",
    "X-PUBLISHED-TTL:PT1H",
    ...events,
    "END:VCALENDAR",
  ]
    .map((line) => `${folded(line)}\r\n`)
    .join("");
}

const stamp = (instant: string) => new Date(instant).toISOString().replaceAll(/[-:]|\.\d+/g, "");

/** RFC 5545, 3.3.11. */
const escaped = (text: string) =>
  text
    .replaceAll(/[\\;,]/g, "\\$&")
    .replaceAll(/\r\n|\r|\n/g, "\\n")
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");

const maxLineBytes = 75;

/** RFC 5545, 3.1: at most 75 octets a line, without splitting a character. Continued lines start with a space. */
function folded(line: string): string {
  const lines: string[] = [];
  let current = "";
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > maxLineBytes) {
      lines.push(current);
      current = " ";
      bytes = 1;
    }
    current += character;
    bytes += size;
  }
  return [...lines, current].join("\r\n");
}
