import { AppError } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";

export const mostOpen = 100;
/** Open and resolved together. */
const mostAnnouncements = 5000;
export const mostUpdates = 200;
/** Of all updates of one announcement: with a post-mortem it fits one message of the bus (1 MiB). */
export const mostTextBytes = 400_000;

export const missing = () => new AppError("not_found", "Announcement does not exist");
const full = (message: Message, max: number) => new AppError("impossible", message, { params: { max } });

/** @throws AppError `impossible` if there is no room for another */
export function refuseTooMany(counted: { open: number; all: number }, isOpen: boolean): void {
  if (isOpen && counted.open >= mostOpen) {
    throw full("There are {max} open announcements already, resolve one first", mostOpen);
  }
  if (counted.all >= mostAnnouncements) {
    throw full("There are {max} announcements already, delete one first", mostAnnouncements);
  }
}

/** Of the last 24 hours: each may be mailed to every subscriber. */
const mostADay = 100;
export const dayMs = 24 * 3_600_000;

/** @throws AppError `too_many` where as many were made within a day as may be; `oldestMs` is when the first of them was */
export function refuseTooManyADay(
  { count, oldestMs }: { count: number; oldestMs: number | null },
  nowMs: number,
): void {
  if (count < mostADay || oldestMs === null) return;
  throw new AppError("too_many", "At most {max} announcements a day", {
    params: { max: mostADay },
    retryAfterSeconds: Math.max(1, Math.ceil((oldestMs + dayMs - nowMs) / 1000)),
  });
}

/** @throws AppError `impossible` where an announcement has no room for another update */
export function refuseTooLong(updates: { count: number; bytes: number }, text: string): void {
  if (updates.count >= mostUpdates) throw full("An announcement has at most {max} updates", mostUpdates);
  if (updates.bytes + Buffer.byteLength(text) > mostTextBytes) {
    throw full("The updates of an announcement are too long together (at most {max} bytes)", mostTextBytes);
  }
}
