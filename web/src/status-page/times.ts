import { language, scriptWords } from "./page.ts";

const minuteMs = 60_000;
const units = [
  ["day", 1440],
  ["hour", 60],
  ["minute", 1],
] as const;

const minute = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const clock = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const whole = { dateStyle: "full", timeStyle: "long", hourCycle: "h23" } as const;

const write = (at: string, style: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(language(), style).format(new Date(at));

/** Formats a past time: `just now`, `3 minutes ago`. */
export function agoText(at: string, nowMs: number): string {
  const minutes = Math.floor((nowMs - Date.parse(at)) / minuteMs);
  const [unit, size] = units.find(([, minutesOf]) => minutes >= minutesOf) ?? ["minute", 0];
  if (size === 0) return scriptWords().justNow;
  return new Intl.RelativeTimeFormat(language()).format(-Math.floor(minutes / size), unit);
}

/** Converts times to the visitor's time zone and updates ages. UTC days are not `<time>` elements. */
export function localise(root: ParentNode = document): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>("time[datetime]:not([data-ago])")) {
    const before = time.closest(".range")?.querySelector("time");
    const text = write(time.dateTime, minute);
    const isSameDay = before !== null && before !== undefined && before !== time && sameDay(before, time);
    setText(time, isSameDay ? write(time.dateTime, clock) : text);
    time.title = write(time.dateTime, whole);
  }
  updateAges(root);
}

/** Updates relative times. Call regularly. */
export function updateAges(root: ParentNode = document): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>("time[data-ago]")) {
    setText(time, agoText(time.dateTime, Date.now()));
    time.title = write(time.dateTime, whole);
  }
}

const dayOf = (time: HTMLTimeElement) => write(time.dateTime, { dateStyle: "short" });
const sameDay = (one: HTMLTimeElement, other: HTMLTimeElement) => dayOf(one) === dayOf(other);

function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
